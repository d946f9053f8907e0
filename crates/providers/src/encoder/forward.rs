//! The forward pass of the built-in transformer, from token ids to an embedding: the layers one after the other
//! (attention, feed-forward), the mean over all tokens, the projection.
//!
//! Weights are expanded to floats a panel at a time and used for all tokens of the text before the next. With fused
//! products that is as fast as sums of 16-bit integers, and what comes in needs no rounding.

#![expect(clippy::inline_always, reason = "the pass has to get the width of what calls it, with all its parts")]

use super::kernel::{self, COLUMNS, MatrixRows};
use super::weights::{DIMENSIONS, EncoderWeights, HEADS, HIDDEN_WIDTH, LayerNorm, LinearLayer, QuantizedTable, WIDTH};
use crate::vendors::builtin::TokenId;

/// Numbers that a head of a token has.
const HEAD_WIDTH: usize = WIDTH / HEADS;
/// Numbers of a token before it looks at others: its query, its key and its value.
const QKV_WIDTH: usize = 3 * WIDTH;

/// The numbers of a text, not yet of length one. `ROWS` tokens are summed at a time.
#[inline(always)]
pub(super) fn forward_pass<const FUSED: bool, const ROWS: usize>(
    weights: &EncoderWeights,
    tokens: &[TokenId],
) -> [f32; DIMENSIONS] {
    let count = tokens.len();
    let mut state = vec![0.0; count * WIDTH];
    for ((place, row), &token) in state.chunks_exact_mut(WIDTH).enumerate().zip(tokens) {
        weights.tokens.add_row(usize::from(token), row);
        weights.positions.add_row(place, row);
    }
    weights.norm.apply(&mut state);
    let mut mixed = vec![0.0; count * WIDTH];
    let mut three = vec![0.0; count * QKV_WIDTH];
    let mut large = vec![0.0; count * HIDDEN_WIDTH];
    for layer in &weights.layers {
        layer.query_key_value.write_output::<FUSED, ROWS>(&state, count, &mut three);
        apply_attention::<FUSED, ROWS>(&three, count, &mut mixed);
        layer.output.add_output::<FUSED, ROWS>(&mixed, count, &mut state);
        layer.output_norm.apply(&mut state);
        layer.wide.write_output::<FUSED, ROWS>(&state, count, &mut large);
        kernel::gelu(&mut large);
        layer.narrow.add_output::<FUSED, ROWS>(&large, count, &mut state);
        layer.narrow_norm.apply(&mut state);
    }
    // The mean and the sum point in the same direction, which is all that counts.
    let sums = sum_rows(&state);
    let mut projected = [0.0; DIMENSIONS];
    for (number, direction) in projected.iter_mut().zip(weights.projection.chunks_exact(WIDTH)) {
        *number = kernel::dot(direction, &sums);
    }
    projected
}

/// What every token takes from the others, head by head.
#[inline(always)]
fn apply_attention<const FUSED: bool, const ROWS: usize>(three: &[f32], count: usize, mixed: &mut [f32]) {
    let scale = 1.0 / (HEAD_WIDTH as f32).sqrt();
    let mut panel = vec![[0.0; COLUMNS]; count.max(HEAD_WIDTH)];
    let mut scores = vec![0.0; count * count];
    for query in (0..WIDTH).step_by(HEAD_WIDTH) {
        let key = WIDTH + query;
        let value = 2 * WIDTH + query;
        let queries = MatrixRows { numbers: three, count, stride: QKV_WIDTH, from: query };
        for first in (0..count).step_by(COLUMNS) {
            let columns = COLUMNS.min(count - first);
            for column in 0..columns {
                let keys = &three[(first + column) * QKV_WIDTH + key..][..HEAD_WIDTH];
                for (weights, key) in panel.iter_mut().zip(keys) {
                    // Scaled here, once for each key, instead of once for each pair.
                    weights[column] = key * scale;
                }
            }
            queries.multiply_panel::<FUSED, ROWS>(&panel[..HEAD_WIDTH], |row, sums| {
                scores[row * count + first..][..columns].copy_from_slice(&sums[..columns]);
            });
        }
        scores.chunks_exact_mut(count).for_each(kernel::softmax);
        let shares = MatrixRows { numbers: &scores, count, stride: count, from: 0 };
        for first in (0..HEAD_WIDTH).step_by(COLUMNS) {
            for (weights, token) in panel[..count].iter_mut().zip(three.chunks_exact(QKV_WIDTH)) {
                weights.copy_from_slice(&token[value + first..][..COLUMNS]);
            }
            shares.multiply_panel::<FUSED, ROWS>(&panel[..count], |row, sums| {
                mixed[row * WIDTH + query + first..][..COLUMNS].copy_from_slice(sums);
            });
        }
    }
}

/// The mean is this by a factor, which falls out when the vector gets length one.
#[inline(always)]
fn sum_rows(state: &[f32]) -> [f32; WIDTH] {
    let mut sums = [0.0; WIDTH];
    for row in state.chunks_exact(WIDTH) {
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum += number;
        }
    }
    sums
}

impl QuantizedTable {
    #[inline(always)]
    fn add_row(&self, at: usize, row: &mut [f32]) {
        let scale = self.scales[at];
        for (number, weight) in row.iter_mut().zip(&self.rows[at]) {
            *number += scale * f32::from(weight.cast_signed());
        }
    }
}

impl LayerNorm {
    #[inline(always)]
    fn apply(&self, state: &mut [f32]) {
        for row in state.chunks_exact_mut(WIDTH) {
            kernel::layer_norm(row, &self.weight, &self.bias);
        }
    }
}

impl LinearLayer {
    #[inline(always)]
    fn write_output<const FUSED: bool, const ROWS: usize>(&self, rows: &[f32], count: usize, out: &mut [f32]) {
        let outputs = self.scales.len();
        self.each_panel::<FUSED, ROWS>(rows, count, |row, first, sums| {
            out[row * outputs + first..][..COLUMNS].copy_from_slice(sums);
        });
    }

    #[inline(always)]
    fn add_output<const FUSED: bool, const ROWS: usize>(&self, rows: &[f32], count: usize, out: &mut [f32]) {
        let outputs = self.scales.len();
        self.each_panel::<FUSED, ROWS>(rows, count, |row, first, sums| {
            for (number, sum) in out[row * outputs + first..][..COLUMNS].iter_mut().zip(sums) {
                *number += sum;
            }
        });
    }

    /// Calls `put(row, first output, sums)` with sums that are scaled and biased.
    #[inline(always)]
    fn each_panel<const FUSED: bool, const ROWS: usize>(
        &self,
        rows: &[f32],
        count: usize,
        mut put: impl FnMut(usize, usize, &[f32; COLUMNS]),
    ) {
        let rows = MatrixRows { numbers: rows, count, stride: self.inputs, from: 0 };
        let mut panel = vec![[0.0; COLUMNS]; self.inputs];
        let parameters = self.scales.as_chunks::<COLUMNS>().0.iter().zip(self.bias.as_chunks::<COLUMNS>().0);
        for ((at, (scales, bias)), packed) in parameters.enumerate().zip(self.panels.chunks_exact(self.inputs)) {
            // Expanded once and used for all tokens of the text, since reading the weights is the slow part.
            for (number, weight) in panel.as_flattened_mut().iter_mut().zip(packed.as_flattened()) {
                *number = f32::from(weight.cast_signed());
            }
            rows.multiply_panel::<FUSED, ROWS>(&panel, |row, sums| {
                let mut result = *sums;
                for ((number, scale), bias) in result.iter_mut().zip(scales).zip(bias) {
                    *number = *number * scale + bias;
                }
                put(row, at * COLUMNS, &result);
            });
        }
    }
}
