//! 871 real documents (terms of web services), of which 756 have changed: against mpmath and SciPy.

use afresh::allocate::Policy::{Optimal, Proportional, Uniform};
use afresh::allocate::{Columns, Items};

use crate::plans::{AGE, FRESHNESS, plan, poisson, within};

/// The documents as items: rate = changes per day watched.
fn documents(only_changed: bool, weighted: bool) -> Items {
    let rows = include_str!("terms.csv").lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let mut columns = Columns::default();
    let mut weights = Vec::new();
    for row in rows {
        let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().expect("a number")).collect();
        if !only_changed || cells[0] > 0.0 {
            columns.rate.push(cells[0] / cells[1]);
            weights.push(cells[2]);
        }
    }
    columns.weight = weighted.then_some(weights);
    poisson(columns)
}

/// Freshness and age under uniform, proportional and optimal, and the optimal prices for freshness and age.
struct Row {
    visits: f64,
    freshness: [f64; 3],
    age: [f64; 3],
    price: [f64; 2],
    given_up: usize,
}

fn check(items: &Items, never: usize, row: &Row) {
    let budget = row.visits * items.len() as f64;
    let best = plan(items, FRESHNESS, Optimal, budget);
    let young = plan(items, AGE, Optimal, budget);
    for (k, policy) in [Uniform, Proportional].into_iter().enumerate() {
        let plan = plan(items, FRESHNESS, policy, budget);
        within(plan.averages.freshness, row.freshness[k], 1e-11);
        within(plan.averages.age, row.age[k], 1e-10);
    }
    within(best.averages.freshness, row.freshness[2], 1e-11);
    within(young.averages.age, row.age[2], 1e-10);
    within(best.price, row.price[0], 1e-10);
    within(young.price, row.price[1], 1e-10);
    assert_eq!(best.idle, row.given_up + never);
    assert_eq!(young.idle, never);
    assert!(best.gap < 1e-13 && young.gap < 1e-12, "{} {}", best.gap, young.gap);
}

#[test]
fn the_756_documents_that_changed_agree_with_mpmath() {
    let items = documents(true, false);
    assert_eq!(items.len(), 756);
    let rows = [
        Row {
            visits: 1.0 / 30.0,
            freshness: [0.827_138_483_497_290_1, 0.661_469_168_793_012_4, 0.850_019_704_981_808_7],
            age: [1.968_734_026_324_021, 33.128_732_845_864_18, 1.333_631_211_491_339],
            price: [3.191_402_166_807_759_6, 73.449_019_154_792_23],
            given_up: 16,
        },
        Row {
            visits: 1.0 / 7.0,
            freshness: [0.934_054_155_682_152_1, 0.902_738_467_779_422_9, 0.955_557_982_783_504_6],
            age: [0.167_171_793_499_334_66, 2.111_707_401_659_535, 0.083_808_601_144_200_16],
            price: [0.289_272_375_707_053_6, 1.144_371_197_497_388],
            given_up: 0,
        },
        Row {
            visits: 1.0,
            freshness: [0.986_643_094_701_486_8, 0.985_270_876_675_978_8, 0.993_260_517_216_426_2],
            age: [0.004_564_704_593_262_204, 0.045_027_400_808_694_53, 0.001_786_192_797_351_148_4],
            price: [0.006_672_641_209_872_75, 0.003_559_184_553_709_547_3],
            given_up: 0,
        },
    ];
    for row in &rows {
        check(&items, 0, row);
    }
}

#[test]
fn all_871_documents_by_length_agree_with_scipy() {
    let items = documents(false, true);
    assert_eq!(items.len(), 871);
    let row = Row {
        visits: 1.0 / 30.0,
        freshness: [0.843_663_346_662_211_5, 0.731_518_133_188_430_2, 0.878_986_339_834_012_6],
        age: [1.778_437_137_473_64, 21.685_971_637_953_35, 0.913_244_687_184_656_5],
        price: [21.472_311_209_435_677, 407.542_069_656_835_05],
        given_up: 11,
    };
    check(&items, 115, &row);
}

#[test]
fn documents_that_never_change_let_proportional_win_at_a_visit_a_day() {
    let items = documents(false, false);
    let freshness = |policy| plan(&items, FRESHNESS, policy, 871.0).averages.freshness;
    within(freshness(Uniform), 0.988_406_635_584_757_8, 1e-11);
    within(freshness(Proportional), 0.988_889_075_362_147_1, 1e-11);
    within(freshness(Optimal), 0.994_916_035_121_274_7, 1e-11);
    assert!(freshness(Proportional) > freshness(Uniform));
}
