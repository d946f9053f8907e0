//! Bills texts in the requests of a session: a text is written once, read from the vendor's cache with each later
//! request as far as the cache went there, and gone when the conversation is summed up or cut.

use super::prices::TokenPrices;
use super::trace::BilledRequest;

/// Where a text stands in the context.
#[derive(Clone, Copy)]
pub(super) enum BilledPlace {
    /// With the host's tools, before all messages, in every request.
    Front,
    /// Behind a line of the transcript.
    Line(usize),
}

/// How often each token of a text is billed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TextBill {
    pub(super) reads: u64,
    pub(super) writes: u64,
    /// For a million tokens; none where a model has no price.
    pub(super) dollars: Option<f64>,
}

impl TextBill {
    pub(super) fn times(&self) -> u64 {
        self.reads + self.writes
    }
}

pub(super) struct SessionBill<'r> {
    requests: &'r [BilledRequest],
    prices: Vec<Option<TokenPrices>>,
}

impl<'r> SessionBill<'r> {
    pub(super) fn new(requests: &'r [BilledRequest], price_of: impl Fn(&str) -> Option<TokenPrices>) -> Self {
        Self { requests, prices: requests.iter().map(|request| price_of(&request.model)).collect() }
    }

    /// Bills a text that came into the context at some place.
    pub(super) fn bill_text(&self, place: BilledPlace) -> TextBill {
        let mut bill = TextBill { dollars: Some(0.0), ..TextBill::default() };
        let first = match place {
            BilledPlace::Front => 0,
            BilledPlace::Line(line) => self.first_behind(line),
        };
        let Some(begun) = self.requests.get(first) else { return bill };
        let before = if first == 0 || self.requests[first - 1].period != begun.period {
            0
        } else {
            self.requests[first - 1].context()
        };
        // It stands somewhere in what this request has and the one before has not.
        let middle = before.midpoint(begun.context());
        for (at, request) in self.requests.iter().enumerate().skip(first) {
            let is_read = match place {
                BilledPlace::Front => at > first && request.cache_read > 0,
                BilledPlace::Line(_) => {
                    // Summed up, or cut back to before it.
                    if request.period != begun.period || (at > first && request.context() <= before) {
                        break;
                    }
                    at > first && request.cache_read >= middle
                }
            };
            self.add_request(&mut bill, at, is_read);
        }
        bill
    }

    /// The first request that was sent behind a line. Its answer stands behind it, too.
    pub(super) fn first_behind(&self, line: usize) -> usize {
        self.requests.partition_point(|request| request.line <= line)
    }

    fn add_request(&self, bill: &mut TextBill, at: usize, is_read: bool) {
        let request = &self.requests[at];
        let price = self.prices[at].map(|prices| match request {
            _ if is_read => prices.cache_read,
            BilledRequest { short_writes: 0, long_writes: 0, .. } => prices.input,
            BilledRequest { short_writes, long_writes, .. } if long_writes >= short_writes => prices.long_write,
            _ => prices.short_write,
        });
        *(if is_read { &mut bill.reads } else { &mut bill.writes }) += 1;
        bill.dollars = bill.dollars.zip(price).map(|(sum, price)| sum + price);
    }

    /// Dollars for all that was billed, input and output; none where a model has no price.
    pub(super) fn total_dollars(&self) -> Option<(f64, f64)> {
        let mut total = (0.0, 0.0);
        for (request, prices) in self.requests.iter().zip(&self.prices) {
            let prices = (*prices)?;
            let parts = [
                (request.input, prices.input),
                (request.cache_read, prices.cache_read),
                (request.short_writes, prices.short_write),
                (request.long_writes, prices.long_write),
            ];
            total.0 += parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>() / 1e6;
            total.1 += request.output as f64 * prices.output / 1e6;
        }
        Some(total)
    }

    /// Dollars for one more request behind a line: all of the context from the cache, and some output.
    pub(super) fn further_request(&self, line: usize, output: f64) -> (u64, Option<f64>) {
        let at = self.first_behind(line);
        let Some(request) = self.requests.get(at) else { return (0, Some(0.0)) };
        let context = request.context();
        let dollars = self.prices[at].map(|prices| (context as f64 * prices.cache_read + output * prices.output) / 1e6);
        (context, dollars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: TokenPrices =
        TokenPrices { input: 1.0, output: 5.0, cache_read: 0.1, short_write: 1.25, long_write: 2.0 };

    fn request(line: usize, period: usize, cache_read: u64, long_writes: u64) -> BilledRequest {
        BilledRequest { line, period, cache_read, long_writes, ..BilledRequest::default() }
    }

    fn check(requests: &[BilledRequest], place: BilledPlace, expected: (u64, u64)) {
        let bill = SessionBill::new(requests, |_| Some(PRICES)).bill_text(place);
        assert_eq!((bill.reads, bill.writes), expected);
        let dollars = expected.0 as f64 * 0.1 + expected.1 as f64 * 2.0;
        assert!(bill.dollars.is_some_and(|sum| (sum - dollars).abs() < 1e-9), "{bill:?}");
    }

    #[test]
    fn a_text_is_written_once_and_then_read_until_the_summary() {
        let requests = [
            request(1, 0, 0, 100),
            request(5, 0, 100, 50),
            request(9, 0, 150, 10),
            request(13, 0, 160, 10),
            request(20, 1, 30, 40),
        ];
        check(&requests, BilledPlace::Line(3), (2, 1));
        check(&requests, BilledPlace::Line(15), (0, 1));
        check(&requests, BilledPlace::Line(30), (0, 0));
        check(&requests, BilledPlace::Front, (4, 1));
    }

    #[test]
    fn what_the_cache_has_lost_is_written_again() {
        let requests = [request(1, 0, 0, 100), request(5, 0, 100, 50), request(9, 0, 30, 130), request(13, 0, 160, 10)];
        check(&requests, BilledPlace::Line(3), (1, 2));
        // What stands in front was still there.
        check(&requests, BilledPlace::Front, (3, 1));
    }

    #[test]
    fn what_was_cut_off_is_billed_no_more() {
        let requests = [request(1, 0, 0, 100), request(5, 0, 100, 50), request(9, 0, 90, 5), request(13, 0, 95, 90)];
        check(&requests, BilledPlace::Line(3), (0, 1));
        check(&requests, BilledPlace::Line(0), (3, 1));
    }

    #[test]
    fn a_model_without_a_price_has_no_dollars() {
        let requests = [request(1, 0, 0, 100)];
        let bill = SessionBill::new(&requests, |_| None);
        assert_eq!((bill.bill_text(BilledPlace::Front).dollars, bill.total_dollars()), (None, None));
    }
}
