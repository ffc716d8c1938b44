//! What turns cost.

/// The running total of one process, from which the cost of each turn follows. US dollars.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meter {
    base: f64,
}

impl Meter {
    /// For a process that starts with `carried` on its account: the last `cost-state.totalCostUSD` that the transcript
    /// held at launch. Versions that start from 0 all the same show it by a first total below that.
    pub(super) fn new(carried: f64) -> Self {
        Self { base: carried }
    }

    /// The cost of a turn whose result says `total`; the next turn is measured from there.
    pub(super) fn turn(&mut self, total: f64) -> f64 {
        let cost = if total >= self.base { total - self.base } else { total };
        self.base = total;
        // Totals are sums of floats: what is left of a cent after nine digits is their noise.
        (cost * 1e9).round() / 1e9
    }
}

/// What an agent may still cost; `None` without a budget.
pub(super) fn left(budget: Option<f64>, spent: f64) -> Option<f64> {
    budget.map(|budget| (budget - spent).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    #[test]
    fn a_turn_costs_what_the_total_grew_by() {
        let mut meter = Meter::new(0.0);
        assert!(same(meter.turn(0.25), 0.25));
        assert!(same(meter.turn(0.25), 0.0));
        assert!(same(meter.turn(0.75), 0.5));
    }

    #[test]
    fn a_resumed_process_goes_on_from_the_transcript_or_starts_again() {
        assert!(same(Meter::new(1.0).turn(1.5), 0.5));
        let mut older = Meter::new(1.0);
        assert!(same(older.turn(0.25), 0.25));
        assert!(same(older.turn(0.5), 0.25));
    }

    #[test]
    fn nothing_is_left_of_an_overdrawn_budget() {
        assert_eq!(left(None, 5.0), None);
        assert!(same(left(Some(1.0), 0.25).unwrap(), 0.75));
        assert!(same(left(Some(1.0), 1.5).unwrap(), 0.0));
    }
}
