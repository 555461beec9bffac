//! Overdue items first: the most overdue relative to its interval leads, as far as everyone's deadline allows.
//!
//! The scheduler orders by deadline, so among items overdue at the start those with short intervals come first, however late
//! the others are. Here the turns that went to first visits are handed out anew: from the last turn to the first, each goes
//! to the least overdue item that may still be visited so late (E. L. Lawler's rule, "Optimal sequencing of a single machine
//! subject to precedence constraints", 1973). No first visit passes its deadline, so the bound on the lag still holds; nor
//! does it move more than half an interval towards the item's second visit, so that their gap stays worth having.

use std::collections::BinaryHeap;

use super::scheduler::{Client, Visit, at};
use crate::numeric::sort::{self, rank};

/// Hands out anew the first visits of the clients that were due at the start; they are sorted, most overdue first.
pub(super) fn first(visits: &mut [Visit], clients: &[Client], span: f64) {
    if clients.first().is_none_or(|client| client.overdue == 0.0) {
        return;
    }
    let mut seen = vec![false; clients.len()];
    let turns: Vec<usize> = (0..visits.len())
        .filter(|&visit| {
            let client = visits[visit].client as usize;
            clients[client].joins == 0.0 && !std::mem::replace(&mut seen[client], true)
        })
        .collect();

    // Who may come how late at most: (rank of the moment, client). Items that got no turn may stay without one.
    let mut latest: Vec<(u64, u32)> = turns
        .iter()
        .map(|&visit| {
            let Visit { turn, client } = visits[visit];
            let interval = clients[client as usize].interval;
            (rank(interval.min(at(turn) + interval / 2.0)), client)
        })
        .collect();
    let without = (0..).zip(clients).filter(|(client, c)| c.joins == 0.0 && !seen[*client as usize]);
    latest.extend(without.map(|(client, _)| (rank(f64::INFINITY), client)));
    let spare = latest.len() - turns.len();
    sort::ranks(&mut latest);

    // Clients are numbered by how overdue they are, so the heap's greatest is the least overdue.
    let mut may_wait = BinaryHeap::new();
    let mut candidates = latest.into_iter().rev().peekable();
    let mut admit = |moment: f64, may_wait: &mut BinaryHeap<u32>| {
        while let Some((_, client)) = candidates.next_if(|(until, _)| *until > rank(moment)) {
            may_wait.push(client);
        }
    };
    admit(span, &mut may_wait);
    for _ in 0..spare {
        may_wait.pop();
    }
    for visit in turns.into_iter().rev() {
        admit(at(visits[visit].turn), &mut may_wait);
        if let Some(client) = may_wait.pop() {
            visits[visit].client = client;
        }
    }
}
