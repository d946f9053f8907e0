//! What a customer wants to buy. Prices are whole cents, so nothing is lost to rounding.

/// One kind of thing in the cart.
pub struct Line {
    pub article: String,
    pub price_cents: u64,
    pub quantity: u32,
}

/// A cart.
#[derive(Default)]
pub struct Cart {
    lines: Vec<Line>,
}

impl Cart {
    /// Puts something into the cart; the same article twice is one line.
    pub fn add(&mut self, article: &str, price_cents: u64, quantity: u32) {
        match self.lines.iter_mut().find(|line| line.article == article) {
            Some(line) => line.quantity += quantity,
            None => self.lines.push(Line { article: article.to_owned(), price_cents, quantity }),
        }
    }

    /// The sum of all lines, after the discount for large orders.
    pub fn total_cents(&self) -> u64 {
        let sum = self.lines.iter().map(|line| line.price_cents * u64::from(line.quantity)).sum();
        discounted(sum)
    }
}

/// Five percent off from one hundred euros on, rounded in the customer's favour.
fn discounted(sum: u64) -> u64 {
    if sum >= 10_000 { sum - sum.div_ceil(20) } else { sum }
}
