//! `reference.json` (mpmath, SciPy) from `poisson` to `gamma_poisson`, and mpmath's word on what it lacks.

#![allow(clippy::unreadable_literal, clippy::approx_constant, reason = "tables as mpmath prints them")]
#![allow(clippy::float_cmp, reason = "infinities and exact keys of the reference")]

use afresh::change::Change;
use afresh::staleness::gamma_database::GammaDatabase;
use afresh::staleness::{Averages, Metric, Order, Staleness};
use serde_json::Value;

fn reference() -> Value {
    serde_json::from_str(include_str!("reference.json")).expect("the reference file is JSON")
}

#[track_caller]
fn close(actual: f64, expected: f64, what: &str) {
    let error = if actual == expected { 0.0 } else { ((actual - expected) / expected).abs() };
    assert!(error <= 1e-13, "{what}: {actual:e} against {expected:e}, off by {error:e}");
}

const FRESHNESS: Staleness = Staleness { metric: Metric::Freshness, order: Order::Fixed };
const AGE: Staleness = Staleness { metric: Metric::Age, order: Order::Fixed };

/// The reference's r for y = 1e-30 under age is off by 2.6e-12; solved again in mpmath with 80 digits.
const AGE_AT_1E_30: f64 = 1.442_249_570_333_409_5e-10;

#[test]
fn inverse_benefits_match_the_reference() {
    let unit = Change::Poisson { rate: 1.0 };
    for (key, staleness) in [("inverse_benefit_freshness", FRESHNESS), ("inverse_benefit_age", AGE)] {
        for row in reference()[key].as_array().unwrap() {
            let (y, given) = (row["y"].as_f64().unwrap(), row["r"].as_f64().unwrap());
            let r = if key == "inverse_benefit_age" && y == 1e-30 { AGE_AT_1E_30 } else { given };
            close(1.0 / staleness.demand(&unit, y).frequency, r, &format!("{key} at {y}"));
        }
    }
}

#[test]
fn poisson_averages_and_benefits_match_the_reference() {
    let unit = Change::Poisson { rate: 1.0 };
    for row in reference()["poisson"].as_array().unwrap() {
        let value = |key: &str| row[key].as_f64().unwrap();
        let r = value("r");
        for (name, order) in
            [("fixed", Order::Fixed), ("random", Order::Random), ("purely_random", Order::PurelyRandom)]
        {
            let freshness = Staleness { metric: Metric::Freshness, order }.freshness(&unit, 1.0 / r);
            close(freshness, value(&format!("{name}_freshness")), &format!("{name} freshness at {r}"));
            let age = Staleness { metric: Metric::Age, order }.average(&unit, 1.0 / r);
            close(age / r, value(&format!("{name}_age")), &format!("{name} age at {r}"));
        }
        close(FRESHNESS.benefit(&unit, 1.0 / r), value("benefit_freshness_times_rate"), &format!("gain at {r}"));
        close(AGE.benefit(&unit, 1.0 / r), value("benefit_age_times_rate_squared"), &format!("age gain at {r}"));
    }
}

/// Order, r, then stale share, age/I, harmonic average, λ·b/r of freshness and b/I² of age. mpmath, 60 digits: the fixed-order closed
/// forms integrated over the density of the gaps.
const ORDERS: [(Order, f64, [f64; 5]); 24] = [
    (
        Order::Random,
        1e-6,
        [
            5.833330833334194e-07,
            2.499999138889139e-07,
            5.833332083333621e-07,
            5.833328333335916e-07,
            4.999997416667666e-07,
        ],
    ),
    (
        Order::Random,
        0.03,
        [0.01727730490206193, 0.007423169931269017, 0.017388269967946186, 0.017056894759297312, 0.014770174690089587],
    ),
    (
        Order::Random,
        0.4,
        [0.19826362571785922, 0.08767426903868529, 0.2150223744778149, 0.16759764682664371, 0.16433921626672404],
    ),
    (
        Order::Random,
        0.7,
        [0.31028092232882637, 0.14007487286358136, 0.35561525477078987, 0.23237494668618633, 0.25136912378163856],
    ),
    (
        Order::Random,
        2.0,
        [0.5934556340519386, 0.286605516307364, 0.8255118717154047, 0.27814292001812346, 0.4442618733242716],
    ),
    (
        Order::Random,
        9.0,
        [0.8902602924494126, 0.48441552306117636, 1.9759570400041053, 0.10699994720914748, 0.5714444503100947],
    ),
    (
        Order::Random,
        60.0,
        [0.9833379629629629, 0.5669443672839506, 3.779088257993684, 0.016652777777777777, 0.5830557870370371],
    ),
    (Order::Random, 1e4, [0.999900000001, 0.5832333433333332, 8.878518944290642, 9.9999997e-05, 0.5833333233333337]),
    (
        Order::PurelyRandom,
        1e-6,
        [9.99999000001e-07, 9.99999000001e-07, 9.999995000003334e-07, 9.99998000003e-07, 1.999997000004e-06],
    ),
    (
        Order::PurelyRandom,
        0.03,
        [0.02912621359223301, 0.02912621359223301, 0.029558802241544405, 0.028277877274012632, 0.05740409086624564],
    ),
    (
        Order::PurelyRandom,
        0.4,
        [0.2857142857142857, 0.2857142857142857, 0.33647223662121295, 0.20408163265306123, 0.4897959183673469],
    ),
    (
        Order::PurelyRandom,
        0.7,
        [0.4117647058823529, 0.4117647058823529, 0.5306282510621704, 0.2422145328719723, 0.6539792387543253],
    ),
    (
        Order::PurelyRandom,
        2.0,
        [0.6666666666666666, 0.6666666666666666, 1.0986122886681098, 0.2222222222222222, 0.8888888888888888],
    ),
    (Order::PurelyRandom, 9.0, [0.9, 0.9, 2.302585092994046, 0.09, 0.99]),
    (
        Order::PurelyRandom,
        60.0,
        [0.9836065573770492, 0.9836065573770492, 4.110873864173311, 0.01612469766191884, 0.999731255038968],
    ),
    (
        Order::PurelyRandom,
        1e4,
        [0.9999000099990001, 0.9999000099990001, 9.210440366976515, 9.998000299960005e-05, 0.9999999900019997],
    ),
    (
        Order::Fixed,
        1e-6,
        [
            4.99999833333375e-07,
            1.6666662500000832e-07,
            4.999999166666806e-07,
            4.999996666667917e-07,
            3.333332083333667e-07,
        ],
    ),
    (
        Order::Fixed,
        0.03,
        [0.014851118283605897, 0.0049627238798034086, 0.01492537331922597, 0.014703348167885925, 0.00988839440380249],
    ),
    (
        Order::Fixed,
        0.4,
        [0.17580011508909826, 0.06049971227725437, 0.187504936803942, 0.15387983887526244, 0.11530040281184388],
    ),
    (
        Order::Fixed,
        0.7,
        [0.28083614827344217, 0.0988055024665112, 0.3134734159228675, 0.2225785479351483, 0.18203064580693096],
    ),
    (
        Order::Fixed,
        2.0,
        [0.5676676416183063, 0.21616617919084682, 0.751595714551233, 0.29699707514508095, 0.3515014624274595],
    ),
    (
        Order::Fixed,
        9.0,
        [0.8889026010893429, 0.40123304432340634, 1.8855500885025873, 0.11097398910657036, 0.48766955676593665],
    ),
    (
        Order::Fixed,
        60.0,
        [0.9833333333333333, 0.4836111111111111, 3.6882268937903, 0.016666666666666666, 0.49972222222222223],
    ),
    (Order::Fixed, 1e4, [0.9999, 0.49990001, 8.787656036877715, 0.0001, 0.49999999]),
];

#[test]
fn every_order_matches_the_expectation_over_its_gaps() {
    for (order, r, expected) in ORDERS {
        let unit = Change::Poisson { rate: 1.0 };
        let of = |metric| Staleness { metric, order };
        let f = 1.0 / r;
        let actual = [
            of(Metric::Freshness).average(&unit, f),
            of(Metric::Age).average(&unit, f) / r,
            of(Metric::Harmonic).average(&unit, f),
            of(Metric::Freshness).benefit(&unit, f) / r,
            of(Metric::Age).benefit(&unit, f) / r / r,
        ];
        for (k, (actual, expected)) in actual.into_iter().zip(expected).enumerate() {
            close(actual, expected, &format!("{order:?} at {r}, column {k}"));
        }
        close(of(Metric::Harmonic).benefit(&unit, f), r * expected[0], &format!("harmonic benefit, {order:?} at {r}"));
    }
}

#[test]
fn gamma_databases_match_the_reference() {
    for row in reference()["gamma_rates"].as_array().unwrap() {
        let value = |key: &str| row[key].as_f64().unwrap_or(f64::INFINITY);
        let database = GammaDatabase { ratio: value("r"), variance: value("delta2") };
        close(database.uniform_freshness(), value("uniform_freshness"), &format!("uniform freshness, {database:?}"));
        close(database.uniform_age(), value("uniform_age"), &format!("uniform age, {database:?}"));
        close(
            database.proportional_freshness(),
            value("proportional_freshness"),
            &format!("proportional freshness, {database:?}"),
        );
        close(database.proportional_age(), value("proportional_age"), &format!("proportional age, {database:?}"));
    }
}

#[test]
fn weibull_and_gamma_poisson_match_the_reference() {
    let reference = reference();
    let weibull = reference["weibull"].as_array().unwrap().iter().map(|row| {
        (row, Change::Weibull { rate: row["rate"].as_f64().unwrap(), shape: row["shape"].as_f64().unwrap() })
    });
    let gamma = reference["gamma_poisson"].as_array().unwrap().iter().map(|row| {
        (row, Change::GammaPoisson { alpha: row["shape"].as_f64().unwrap(), beta: row["rate"].as_f64().unwrap() })
    });
    for (row, change) in weibull.chain(gamma) {
        let value = |key: &str| row[key].as_f64().unwrap();
        let f = 1.0 / value("period");
        close(FRESHNESS.freshness(&change, f), value("freshness"), &format!("freshness, {change:?}"));
        close(FRESHNESS.benefit(&change, f), value("benefit_freshness"), &format!("benefit of freshness, {change:?}"));
        close(AGE.average(&change, f), value("age"), &format!("age, {change:?}"));
        close(AGE.benefit(&change, f), value("benefit_age"), &format!("benefit of age, {change:?}"));
    }
}

/// Model, order, frequency, then F̄, the stale share, age, the benefits of freshness and of age, the harmonic average.
/// mpmath, 40 digits: quadrature in ln x of the positive integrands over the tail of the gaps.
const RENEWALS: [(Change, Order, f64, [f64; 6]); 32] = [
    (
        Change::Weibull { rate: 0.5, shape: 0.3 },
        Order::PurelyRandom,
        0.03,
        [0.30243678255513173, 0.6975632174448683, 23.252107248162275, 3.3527483396549176, 886.8285195939064, f64::NAN],
    ),
    (
        Change::Weibull { rate: 0.5, shape: 0.3 },
        Order::Fixed,
        1.0,
        [0.6836315261268275, 0.3163684738731724, 0.1406149356214461, 0.07710086641419417, 0.1757535382517263, f64::NAN],
    ),
    (
        Change::Weibull { rate: 0.5, shape: 0.3 },
        Order::Random,
        1.0,
        [
            0.6755508756223393,
            0.32444912437766066,
            0.17316430619466308,
            0.0783504767151133,
            0.21583513364234092,
            f64::NAN,
        ],
    ),
    (
        Change::Weibull { rate: 0.5, shape: 0.3 },
        Order::PurelyRandom,
        20.0,
        [
            0.8345568869141615,
            0.16544311308583842,
            0.008272155654291923,
            0.0022412318251125193,
            0.0005256693739702221,
            f64::NAN,
        ],
    ),
    (
        Change::Weibull { rate: 2.0, shape: 0.8 },
        Order::Random,
        0.03,
        [0.014285526135199268, 0.9857144738648007, 18.976883469639294, 0.4758143713536299, 647.8548245222148, f64::NAN],
    ),
    (
        Change::Weibull { rate: 2.0, shape: 0.8 },
        Order::Fixed,
        1.0,
        [0.3835500467837149, 0.6164499532162852, 0.2488069902987263, 0.24821476354710217, 0.3676429629175588, f64::NAN],
    ),
    (
        Change::Weibull { rate: 2.0, shape: 0.8 },
        Order::PurelyRandom,
        1.0,
        [
            0.30081412067958047,
            0.6991858793204195,
            0.6991858793204195,
            0.19415543547303765,
            0.8933413147934571,
            f64::NAN,
        ],
    ),
    (
        Change::Weibull { rate: 2.0, shape: 0.8 },
        Order::Random,
        20.0,
        [
            0.8946933414587612,
            0.10530665854123872,
            0.002408286008850661,
            0.0039069951873901745,
            0.00021095583371818715,
            f64::NAN,
        ],
    ),
    (
        Change::Weibull { rate: 0.1, shape: 2.5 },
        Order::PurelyRandom,
        0.03,
        [0.06429339255311753, 0.9357066074468825, 31.190220248229416, 2.0600154784095843, 1108.3411908879666, f64::NAN],
    ),
    (
        Change::Weibull { rate: 0.1, shape: 2.5 },
        Order::Fixed,
        1.0,
        [
            0.9722426696195515,
            0.02775733038044846,
            0.006232191568651625,
            0.06740525158359197,
            0.021525138811796837,
            f64::NAN,
        ],
    ),
    (
        Change::Weibull { rate: 0.1, shape: 2.5 },
        Order::Random,
        1.0,
        [
            0.9535807454080808,
            0.04641925459191926,
            0.014922856848764347,
            0.10788279011537327,
            0.05034936737941172,
            f64::NAN,
        ],
    ),
    (
        Change::Weibull { rate: 0.1, shape: 2.5 },
        Order::PurelyRandom,
        20.0,
        [
            0.9998144061257752,
            0.00018559387422478895,
            9.279693711239449e-06,
            2.3175898382830012e-05,
            1.622779604703473e-06,
            f64::NAN,
        ],
    ),
    (
        Change::Weibull { rate: 1.5, shape: 5.0 },
        Order::Random,
        0.03,
        [0.025396367309285628, 0.9746036326907144, 18.609109405571463, 0.8463354080444675, 647.7710112321497, f64::NAN],
    ),
    (
        Change::Weibull { rate: 1.5, shape: 5.0 },
        Order::Fixed,
        1.0,
        [0.825156867255605, 0.17484313274439503, 0.02887941439742945, 0.6020267071071751, 0.1459637183469656, f64::NAN],
    ),
    (
        Change::Weibull { rate: 1.5, shape: 5.0 },
        Order::PurelyRandom,
        1.0,
        [0.5628793149532723, 0.43712068504672774, 0.43712068504672774, 0.3532590211343853, 0.790379706181113, f64::NAN],
    ),
    (
        Change::Weibull { rate: 1.5, shape: 5.0 },
        Order::Random,
        20.0,
        [
            0.9999996456478458,
            3.54352154224869e-07,
            3.952749230398874e-09,
            8.858790746980713e-08,
            1.185823832672971e-09,
            f64::NAN,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 0.001, beta: 2.0 },
        Order::PurelyRandom,
        0.03,
        [
            0.9975662206438755,
            0.0024337793561245834,
            0.08112597853748611,
            0.02838464864254668,
            3.6503542393344266,
            0.004705482681772277,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 0.001, beta: 2.0 },
        Order::Fixed,
        1.0,
        [
            0.9997836348801603,
            0.0002163651198397429,
            7.458497224573725e-05,
            0.0001890177984002248,
            0.00014178014759400566,
            0.00023200215492494888,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 0.001, beta: 2.0 },
        Order::Random,
        1.0,
        [
            0.9997556572782988,
            0.00024434272170117754,
            0.00010805428291065342,
            0.00020794871833312034,
            0.000202594118558721,
            0.0002658776682134217,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 0.001, beta: 2.0 },
        Order::PurelyRandom,
        20.0,
        [
            0.9999755964668982,
            2.4403533101828906e-05,
            1.2201766550914454e-06,
            1.1917136196870955e-06,
            1.2059451373892704e-07,
            2.46970754105722e-05,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 0.7, beta: 3.0 },
        Order::Random,
        0.03,
        [
            0.3229139727344338,
            0.6770860272655662,
            11.91352291068709,
            5.124758959971006,
            505.130330084018,
            1.4304432132368925,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 0.7, beta: 3.0 },
        Order::Fixed,
        1.0,
        [
            0.9013835756935102,
            0.09861642430648972,
            0.03420438248150684,
            0.08377980751649701,
            0.06441204182498288,
            0.10704735610431187,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 0.7, beta: 3.0 },
        Order::PurelyRandom,
        1.0,
        [
            0.8414667942182885,
            0.15853320578171148,
            0.15853320578171148,
            0.1134271386076675,
            0.271960344389379,
            0.18935443355208326,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 0.7, beta: 3.0 },
        Order::Random,
        20.0,
        [
            0.9932758249195762,
            0.006724175080423814,
            0.00014442841780110474,
            0.000332201548206037,
            1.4373497536777815e-05,
            0.006764657434592881,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 4.0, beta: 1.5 },
        Order::PurelyRandom,
        0.03,
        [
            0.014675851381774078,
            0.9853241486182259,
            32.8441382872742,
            0.47879396130920476,
            1110.7644082861134,
            4.372046272805332,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 4.0, beta: 1.5 },
        Order::Fixed,
        1.0,
        [0.392, 0.608, 0.24, 0.2624, 0.368, 0.884158957099324],
    ),
    (
        Change::GammaPoisson { alpha: 4.0, beta: 1.5 },
        Order::Random,
        1.0,
        [
            0.37142857142857144,
            0.6285714285714286,
            0.3112226629299271,
            0.24653061224489795,
            0.4568082016864092,
            0.9594552725942745,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 4.0, beta: 1.5 },
        Order::PurelyRandom,
        20.0,
        [
            0.8852675376830959,
            0.11473246231690416,
            0.005736623115845208,
            0.004954814061262924,
            0.0005345718588554066,
            0.12348893545340257,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 1000.0, beta: 40.0 },
        Order::Random,
        0.03,
        [
            0.001201199462789845,
            0.9987988005372102,
            19.40445254867131,
            0.040039866198904435,
            648.1465433439057,
            6.394213411791381,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 1000.0, beta: 40.0 },
        Order::Fixed,
        1.0,
        [
            0.04004004003926495,
            0.959959959960735,
            0.4615647711839778,
            0.04004004002037918,
            0.49839518877675726,
            2.835631446476419,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 1000.0, beta: 40.0 },
        Order::PurelyRandom,
        1.0,
        [
            0.03849712858377032,
            0.9615028714162297,
            0.9615028714162297,
            0.03701372712113477,
            0.9985165985373644,
            3.2576342115058137,
        ],
    ),
    (
        Change::GammaPoisson { alpha: 1000.0, beta: 40.0 },
        Order::Random,
        20.0,
        [
            0.5394723077158321,
            0.4605276922841679,
            0.01073832450824806,
            0.013980452588722388,
            0.0008986395780069019,
            0.5776779730837358,
        ],
    ),
];

#[test]
fn weibull_and_gamma_poisson_match_quadrature_under_every_order() {
    for (change, order, f, [fresh, stale, age, benefit, age_benefit, harmonic]) in RENEWALS {
        let of = |metric| Staleness { metric, order };
        let what = |name: &str| format!("{name}, {change:?}, {order:?} at {f}");
        close(of(Metric::Freshness).freshness(&change, f), fresh, &what("freshness"));
        let averages = Averages::of(&change, order, f);
        close(averages.stale, stale, &what("stale"));
        close(averages.age, age, &what("age"));
        close(of(Metric::Freshness).benefit(&change, f), benefit, &what("benefit"));
        close(of(Metric::Age).benefit(&change, f), age_benefit, &what("age benefit"));
        if harmonic.is_nan() {
            assert!(averages.harmonic.is_nan() && averages.content.is_nan(), "{change:?}");
            assert!(of(Metric::Harmonic).demand(&change, 1.0).frequency.is_nan(), "{change:?}");
        } else {
            close(averages.harmonic, harmonic, &what("harmonic"));
            close(of(Metric::Harmonic).benefit(&change, f), stale / f, &what("harmonic benefit"));
        }
    }
}
