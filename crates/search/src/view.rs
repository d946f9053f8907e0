//! Loads a consistent in-memory cache (a view) of a store that others write to, with version checks and retries.
//!
//! A view (see `ViewLoader`) is of one version of the store. The version is asked for before anything is read and
//! after, because a view must not be put together from two versions. Where they differ the view is read again, a few
//! times: after that a view of several versions is given where that is an answer at all, but it is not kept.

mod attempts;

pub use attempts::Attempts;

use std::future::Future;

/// What reading a view came to.
pub enum ViewReading<R> {
    /// All of it is of one version.
    Whole(R),
    /// The store was written to meanwhile. What was read is an answer all the same, where time runs out.
    Torn(R),
    /// The store was written to meanwhile, and what was read is no answer.
    Lost,
}

/// How one kind of view is loaded.
pub trait ViewLoader: Send {
    /// The view, cheap to clone or shared.
    type View: Send;
    /// What is read, before a view is made of it.
    type Reading: Send;
    /// Why there is none.
    type Error;

    /// Begins an attempt: asks the store which version it has now. The view of it where that is kept.
    fn find_kept(&mut self) -> impl Future<Output = Result<Option<Self::View>, Self::Error>> + Send;

    /// Reads what differs from the view that is kept, or all of it.
    fn read_store(&mut self) -> impl Future<Output = Result<ViewReading<Self::Reading>, Self::Error>> + Send;

    /// Makes the view of what was read.
    fn build_view(&mut self, reading: Self::Reading) -> impl Future<Output = Result<Self::View, Self::Error>> + Send;

    /// Keeps a view of one version for the next question.
    fn keep_view(&mut self, view: &Self::View);

    /// What is said when every attempt was lost.
    fn conflict_error(&self) -> Self::Error;
}

/// The view of what a store has now.
pub async fn load_view<L: ViewLoader>(mut loader: L) -> Result<L::View, L::Error> {
    let mut attempts = Attempts::default();
    loop {
        if let Some(kept) = loader.find_kept().await? {
            return Ok(kept);
        }
        match loader.read_store().await? {
            ViewReading::Whole(reading) => {
                let view = loader.build_view(reading).await?;
                loader.keep_view(&view);
                return Ok(view);
            }
            ViewReading::Torn(_) | ViewReading::Lost if attempts.try_again() => {}
            // Under steady writes a view of mixed versions answers better than a question that never ends, but it must
            // not be kept as a whole one.
            ViewReading::Torn(reading) => return loader.build_view(reading).await,
            ViewReading::Lost => return Err(loader.conflict_error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// A store whose version goes up with every read until it is quiet.
    struct NoisyStore<'s> {
        version: u32,
        writes: usize,
        is_answer: bool,
        kept: &'s mut Vec<u32>,
    }

    impl ViewLoader for NoisyStore<'_> {
        type View = u32;
        type Reading = u32;
        type Error = &'static str;

        async fn find_kept(&mut self) -> Result<Option<u32>, Self::Error> {
            Ok(self.kept.contains(&self.version).then_some(self.version))
        }

        async fn read_store(&mut self) -> Result<ViewReading<u32>, Self::Error> {
            let before = self.version;
            if self.writes > 0 {
                self.writes -= 1;
                self.version += 1;
                return Ok(if self.is_answer { ViewReading::Torn(before) } else { ViewReading::Lost });
            }
            Ok(ViewReading::Whole(before))
        }

        async fn build_view(&mut self, reading: u32) -> Result<u32, Self::Error> {
            Ok(reading)
        }

        fn keep_view(&mut self, view: &u32) {
            self.kept.push(*view);
        }

        fn conflict_error(&self) -> Self::Error {
            "others write all the time"
        }
    }

    fn check(writes: usize, is_answer: bool, kept: &[u32]) -> (Result<u32, &'static str>, Vec<u32>) {
        let mut kept = kept.to_vec();
        let found = {
            let loading = pin!(load_view(NoisyStore { version: 1, writes, is_answer, kept: &mut kept }));
            match loading.poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(found) => found,
                Poll::Pending => panic!("nothing waits here"),
            }
        };
        (found, kept)
    }

    #[test]
    fn a_view_of_one_version_is_kept_and_found_again() {
        assert_eq!(check(0, true, &[]), (Ok(1), vec![1]));
        assert_eq!(check(9, true, &[1]), (Ok(1), vec![1]), "it is there before anything is read");
        assert_eq!(check(4, true, &[]), (Ok(5), vec![5]), "the fifth attempt is quiet");
        assert_eq!(check(4, false, &[]), (Ok(5), vec![5]));
    }

    #[test]
    fn a_view_of_two_versions_is_given_at_last_and_never_kept() {
        assert_eq!(check(99, true, &[]), (Ok(5), vec![]));
        assert_eq!(check(99, false, &[]), (Err("others write all the time"), vec![]));
    }
}
