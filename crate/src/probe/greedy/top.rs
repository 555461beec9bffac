//! Top-k: which keywords a round may use.

use std::collections::BinaryHeap;

/// The k keywords that the most uncovered rows have. Counts only fall, so a heap's entry whose count has fallen is either
/// outdone by a newer one or brought up to date when it comes to the top.
#[derive(Debug)]
pub(super) struct Top {
    k: usize,
    pub(super) active: Vec<bool>,
    members: usize,
    /// The members, the one to go first at the top: few rows, then late in the order.
    worst: BinaryHeap<u64>,
    /// The others, the one to come first at the top.
    others: BinaryHeap<u64>,
}

/// Orders by count, then by keyword, the last first; as `!` of it orders the other way around.
fn packed(count: u32, keyword: u32) -> u64 {
    u64::from(count) << 32 | u64::from(!keyword)
}

#[allow(clippy::cast_possible_truncation, reason = "takes apart what was put together")]
fn unpacked(packed: u64) -> (u32, u32) {
    ((packed >> 32) as u32, !(packed as u32))
}

impl Top {
    pub(super) fn new(k: usize, count: &[u32]) -> Self {
        let others = (0_u32..).zip(count).map(|(keyword, &count)| packed(count, keyword)).collect();
        Self { k, active: vec![false; count.len()], members: 0, worst: BinaryHeap::new(), others }
    }

    /// A keyword now has `count` uncovered rows, one less than before.
    pub(super) fn fell(&mut self, keyword: u32, count: u32) {
        if self.active[keyword as usize] {
            self.worst.push(!packed(count, keyword));
        }
    }

    /// The member to go first.
    fn last(&mut self, count: &[u32]) -> Option<(u32, u32)> {
        while let Some(&top) = self.worst.peek() {
            let (known, keyword) = unpacked(!top);
            if self.active[keyword as usize] && known == count[keyword as usize] {
                return Some((known, keyword));
            }
            self.worst.pop();
        }
        None
    }

    fn remove(&mut self, keyword: u32) {
        self.worst.pop();
        self.active[keyword as usize] = false;
        self.members -= 1;
    }

    /// Makes the members the top k again and names those that came in.
    pub(super) fn settle(&mut self, count: &[u32], entered: &mut Vec<u32>) {
        entered.clear();
        while let Some((0, keyword)) = self.last(count) {
            self.remove(keyword);
        }
        while let Some(next) = self.others.pop() {
            let (known, keyword) = unpacked(next);
            let now = count[keyword as usize];
            if now == 0 {
                continue;
            }
            if now < known {
                self.others.push(packed(now, keyword));
                continue;
            }
            if self.members == self.k {
                match self.last(count) {
                    Some((fewest, worst)) if packed(fewest, worst) < next => {
                        self.remove(worst);
                        self.others.push(packed(fewest, worst));
                    }
                    _ => {
                        self.others.push(next);
                        break;
                    }
                }
            }
            self.worst.push(!next);
            self.active[keyword as usize] = true;
            self.members += 1;
            entered.push(keyword);
        }
    }
}
