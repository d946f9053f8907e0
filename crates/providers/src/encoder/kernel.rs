//! Numeric kernels of the built-in transformer: matrix product by panels, dot product, softmax, GELU, layer norm.
//!
//! All are inlined into the pass that calls them, because code keeps the width of the function that it is compiled
//! into. `FUSED` says whether a product and a sum are one instruction: where they are not, asking for it would call a
//! library for every product.

#![expect(clippy::inline_always, reason = "each loop has to get the width of its caller")]

/// Columns of a matrix whose sums are taken at a time.
pub(super) const COLUMNS: usize = 16;

/// One number for each of the columns.
pub(super) type ColumnVector = [f32; COLUMNS];

/// Rows of a matrix that lie `stride` numbers apart; what counts of each begins at `from`.
#[derive(Clone, Copy)]
pub(super) struct MatrixRows<'a> {
    pub(super) numbers: &'a [f32],
    pub(super) count: usize,
    pub(super) stride: usize,
    pub(super) from: usize,
}

impl MatrixRows<'_> {
    /// Multiplies all rows with a panel, which has the weights of all columns for each number of a row; calls
    /// `put(row, sums)` for every row.
    #[inline(always)]
    pub(super) fn multiply_panel<const FUSED: bool, const ROWS: usize>(
        self,
        panel: &[ColumnVector],
        mut put: impl FnMut(usize, &ColumnVector),
    ) {
        let mut row = 0;
        while row + ROWS <= self.count {
            for (sums, row) in self.sum_block::<FUSED, ROWS>(row, panel).iter().zip(row..) {
                put(row, sums);
            }
            row += ROWS;
        }
        // The number of tokens of a text is rarely a multiple of ROWS; pairs keep most of the speed for the rest.
        while row + 2 <= self.count {
            let [first, second] = self.sum_block::<FUSED, 2>(row, panel);
            put(row, &first);
            put(row + 1, &second);
            row += 2;
        }
        if row < self.count {
            let [only] = self.sum_block::<FUSED, 1>(row, panel);
            put(row, &only);
        }
    }

    /// The sums of a few rows beginning at `first`, few enough that they all stay in registers.
    ///
    /// With iterators the compiler leaves the sums in memory and takes them one by one: eight times slower.
    #[inline(always)]
    fn sum_block<const FUSED: bool, const ROWS: usize>(
        self,
        first: usize,
        panel: &[ColumnVector],
    ) -> [ColumnVector; ROWS] {
        let depth = panel.len();
        let rows: [&[f32]; ROWS] =
            std::array::from_fn(|row| &self.numbers[(first + row) * self.stride + self.from..][..depth]);
        let mut sums = [[0.0; COLUMNS]; ROWS];
        for at in 0..depth {
            let weights = &panel[at];
            for row in 0..ROWS {
                let number = rows[row][at];
                for column in 0..COLUMNS {
                    sums[row][column] = add_product::<FUSED>(number, weights[column], sums[row][column]);
                }
            }
        }
        sums
    }
}

#[inline(always)]
fn add_product<const FUSED: bool>(a: f32, b: f32, sum: f32) -> f32 {
    if FUSED { a.mul_add(b, sum) } else { a * b + sum }
}

/// The Gaussian error linear unit, with a quotient of polynomials for the error function.
#[inline(always)]
pub(super) fn gelu(numbers: &mut [f32]) {
    for number in numbers {
        // Beyond ±4 the error function is ±1 in f32, and the quotient is only fitted within.
        let x = (*number * std::f32::consts::FRAC_1_SQRT_2).clamp(-4.0, 4.0);
        let square = x * x;
        let mut above = -2.726_142_3e-10_f32;
        above = above * square + 2.770_681_4e-8;
        above = above * square - 2.101_024e-6;
        above = above * square - 5.692_506_5e-5;
        above = above * square - 7.349_906_3e-4;
        above = above * square - 2.954_6e-3;
        above = above * square - 1.609_603_3e-2;
        let mut below = -1.456_607_2e-5_f32;
        below = below * square - 2.133_740_5e-4;
        below = below * square - 1.682_827e-3;
        below = below * square - 7.373_329e-3;
        below = below * square - 1.426_473_9e-2;
        *number = 0.5 * *number * (1.0 + x * above / below);
    }
}

/// Makes positive shares of numbers, which sum to one: each e to the power of its number.
#[inline(always)]
pub(super) fn softmax(numbers: &mut [f32]) {
    // Subtracting the largest keeps every power at most one, so that none overflows.
    let largest = max_value(numbers);
    for number in numbers.iter_mut() {
        *number = exp(*number - largest);
    }
    let factor = 1.0 / sum_lanes(numbers);
    for number in numbers {
        *number *= factor;
    }
}

/// e to the power of a number not above 0: two to the rounded power by bits, the rest by a polynomial.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Added to a number, this constant leaves no bits for the fraction, which rounds it.
    const ROUNDING_OFFSET: f32 = 12_582_912.0;
    let power = if x < -80.0 { -80.0 } else { x } * std::f32::consts::LOG2_E;
    let whole = power + ROUNDING_OFFSET;
    let part = power - (whole - ROUNDING_OFFSET);
    let scale = f32::from_bits(whole.to_bits().wrapping_sub(ROUNDING_OFFSET.to_bits()).wrapping_add(127) << 23);
    let mut sum = 1.333_55e-3_f32;
    sum = sum * part + 9.618_129e-3;
    sum = sum * part + 5.550_411e-2;
    sum = sum * part + 2.402_265e-1;
    sum = sum * part + 6.931_472e-1;
    (sum * part + 1.0) * scale
}

/// Shifts and scales numbers to mean 0 and variance 1, then by weights.
#[inline(always)]
pub(super) fn layer_norm(numbers: &mut [f32], weight: &[f32], bias: &[f32]) {
    let count = numbers.len() as f32;
    let mean = sum_lanes(numbers) / count;
    for number in numbers.iter_mut() {
        *number -= mean;
    }
    let factor = 1.0 / (dot(numbers, numbers) / count + 1e-12).sqrt();
    for ((number, weight), bias) in numbers.iter_mut().zip(weight).zip(bias) {
        *number = *number * factor * weight + bias;
    }
}

// What is summed one after the other cannot be summed several at a time, so sums and the largest are taken in lanes.
const LANES: usize = 16;

/// The sum of products of two rows, whose length is a multiple of the lanes.
#[inline(always)]
pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    // Sixteen sums side by side fill the registers; a single one would wait for itself at every step.
    for (left, right) in left.as_chunks::<LANES>().0.iter().zip(right.as_chunks::<LANES>().0) {
        for ((lane, left), right) in lanes.iter_mut().zip(left).zip(right) {
            *lane += left * right;
        }
    }
    lanes.iter().sum()
}

#[inline(always)]
fn sum_lanes(numbers: &[f32]) -> f32 {
    let (whole, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [0.0_f32; LANES];
    for chunk in whole {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number;
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

#[inline(always)]
fn max_value(numbers: &[f32]) -> f32 {
    // Not `f32::max`, which takes more steps to keep NaN out.
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let (whole, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [f32::MIN; LANES];
    for chunk in whole {
        for (lane, &number) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, number);
        }
    }
    lanes.iter().chain(rest).fold(f32::MIN, |a, &b| larger(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: &[f32], wanted: &[f32]) {
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-5, "{found}, not {wanted}");
        }
    }

    #[test]
    fn gelu_is_exact_to_five_places() {
        // 0.5 x (1 + erf(x / sqrt 2)), from a table of the normal distribution.
        let mut numbers = [-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 9.0];
        gelu(&mut numbers);
        check(&numbers, &[-0.004_049_7, -0.158_655_25, 0.0, 0.345_731_23, 0.841_344_8, 1.954_499_7, 9.0]);
    }

    #[test]
    fn softmax_sums_to_one_and_keeps_ratios() {
        let mut numbers: Vec<f32> = (0_u8..37).map(|number| f32::from(number) * 0.3 - 5.0).collect();
        softmax(&mut numbers);
        check(&[numbers.iter().sum(), numbers[20] / numbers[19]], &[1.0, 0.3_f32.exp()]);
    }

    #[test]
    fn a_norm_has_mean_and_variance() {
        let mut numbers: Vec<f32> = (0_u8..32).map(f32::from).collect();
        layer_norm(&mut numbers, &[2.0; 32], &[1.0; 32]);
        let variance = numbers.iter().map(|number| (number - 1.0).powi(2)).sum::<f32>() / 32.0;
        check(&[numbers.iter().sum::<f32>() / 32.0, variance], &[1.0, 4.0]);
    }

    #[test]
    fn rows_times_a_panel_are_the_same_in_any_blocks() {
        let numbers: Vec<f32> = (0_u8..27).map(f32::from).collect();
        let rows = MatrixRows { numbers: &numbers, count: 9, stride: 3, from: 1 };
        let panel = [std::array::from_fn(|column| column as f32), [100.0; COLUMNS]];
        let wanted: Vec<f32> = (0..9)
            .flat_map(|row| (0..COLUMNS).map(move |column| ((row * 3 + 1) * column + (row * 3 + 2) * 100) as f32))
            .collect();
        let mut found = [0; 3].map(|_| vec![0.0; wanted.len()]);
        let [two, four, six] = found.each_mut().map(|found| {
            move |row: usize, sums: &ColumnVector| found[row * COLUMNS..][..COLUMNS].copy_from_slice(sums)
        });
        rows.multiply_panel::<false, 2>(&panel, two);
        rows.multiply_panel::<false, 4>(&panel, four);
        rows.multiply_panel::<true, 6>(&panel, six);
        for found in &found {
            check(found, &wanted);
        }
    }
}
