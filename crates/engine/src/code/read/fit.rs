//! Fits one item of a read reply into the token budget: renders it in the requested view mode, else in a shorter one,
//! else reports it as too long.

use super::ReadItem;
use super::render::OpenFile;
use super::target::ReadTarget;
use crate::base::Result;
use crate::code::read::ModeChoice;
use model::{TokenCount, count_tokens};
use syntax::ViewMode;

/// The result of a target.
pub(super) enum FitOutcome {
    Item(Box<ReadItem>),
    /// Even the shortest form costs more than is left.
    TooLong {
        id: String,
        tokens: TokenCount,
    },
}

/// Renders a target in the chosen mode, or in the first shorter one that costs at most `left`.
pub(super) fn fit_target(
    file: &OpenFile,
    target: &ReadTarget,
    choice: ModeChoice,
    left: Option<TokenCount>,
) -> Result<FitOutcome> {
    let drawing = file.find_target(target)?;
    let first = file.choose_mode(&drawing, choice);
    let mut shortest: Option<ReadItem> = None;
    for (mode, _) in ViewMode::ALL.into_iter().filter(|(mode, _)| *mode >= first) {
        let item = file.render_item(&drawing, mode)?;
        if left.is_none_or(|left| item.tokens + count_tokens(item.lossy_note()) <= left) {
            let original_tokens =
                if item.mode == ViewMode::Raw { item.tokens } else { file.estimate_tokens(&drawing)? };
            return Ok(FitOutcome::Item(Box::new(ReadItem { original_tokens, ..item })));
        }
        // A view is not always shorter than the one before: markers cost tokens as well.
        if shortest.as_ref().is_none_or(|shortest| item.tokens < shortest.tokens) {
            shortest = Some(item);
        }
    }
    let shortest = shortest.expect("every mode has itself or a shorter one after it");
    Ok(FitOutcome::TooLong { id: shortest.id, tokens: shortest.tokens })
}
