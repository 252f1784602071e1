//! Numbers of turns in the records of a session.

/// The numbers of turns: clients tell turns apart by them, so no number is given twice.
///
/// The conversation state counts the turns of the session's own agent. Records can also contain turns of another program
/// (imported, or added while the agent was not running). Both are numbered in the order of the records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TurnNumbers {
    /// The number of each turn of the conversation state, as far as other turns were recorded after it.
    fixed: Vec<i64>,
    /// The highest number in the records up to there.
    last: i64,
}

impl TurnNumbers {
    /// Returns the number of the turn at this position of the conversation state.
    pub(crate) fn of(&self, at: usize) -> i64 {
        match self.fixed.get(at) {
            Some(number) => *number,
            None => self.last + (at - self.fixed.len()) as i64 + 1,
        }
    }

    /// Records of a turn of another program follow. `own` is the number of turns in the conversation state.
    /// Returns the number of that turn.
    pub(crate) fn add_other(&mut self, own: usize) -> i64 {
        self.fix(own);
        self.last += 1;
        self.last
    }

    /// Restores the numbers from a record. `own` is the number of turns in the conversation state after it; `is_own` says
    /// whether the record belongs to the last of them.
    pub(crate) fn restore(&mut self, number: i64, own: usize, is_own: bool) {
        if is_own && own > self.fixed.len() {
            while self.fixed.len() < own {
                let left = (own - 1 - self.fixed.len()) as i64;
                self.fixed.push(number - left);
            }
        }
        self.last = self.last.max(number);
    }

    fn fix(&mut self, own: usize) {
        while self.fixed.len() < own {
            self.last += 1;
            self.fixed.push(self.last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TurnNumbers;

    #[test]
    fn turns_of_another_program_get_numbers_of_their_own() {
        let mut numbers = TurnNumbers::default();
        assert_eq!((numbers.of(0), numbers.of(1)), (1, 2));
        assert_eq!((numbers.add_other(2), numbers.add_other(2)), (3, 4));
        assert_eq!((numbers.of(0), numbers.of(1), numbers.of(2)), (1, 2, 5));
    }

    #[test]
    fn numbers_are_the_same_after_a_restart() {
        let mut before = TurnNumbers::default();
        let mut after = TurnNumbers::default();
        let mut own = 0;
        for is_own in [false, true, true, false, false, true, false] {
            let number = match is_own {
                true => {
                    own += 1;
                    before.of(own - 1)
                }
                false => before.add_other(own),
            };
            after.restore(number, own, is_own);
        }
        for at in 0..own + 2 {
            assert_eq!(after.of(at), before.of(at), "turn {at}");
        }
    }
}
