//! Weibull and Gamma–Poisson changes under every order, against mpmath.

#![allow(clippy::unreadable_literal, reason = "tables as mpmath prints them")]

use afresh::change::Change;
use afresh::staleness::{Averages, Metric, Order, Staleness};

use crate::staleness::close;

/// Model, order, frequency, then F̄, the stale share, age, the benefits of freshness and of age, the harmonic average.
/// mpmath, 40 digits: quadrature in ln x of the positive integrands over the tail of the gaps.
#[rustfmt::skip] // one row a line
const RENEWALS: [(Change, Order, f64, [f64; 6]); 36] = [
    (Change::Weibull { rate: 1.0, shape: 50.0 }, Order::Random, 0.3, [0.2922939145563716, 0.7077060854436284, 1.10128628034315, 0.9452507390358895, 6.003059290769541, f64::NAN]),
    (Change::Weibull { rate: 1.0, shape: 50.0 }, Order::PurelyRandom, 30.0, [0.9999999999998062, 1.937590155735702e-13, 6.458633852452341e-15, 1.853895677608337e-13, 6.394940053776203e-15, f64::NAN]),
    (Change::Weibull { rate: 2.0, shape: 20.0 }, Order::PurelyRandom, 0.5, [0.3748373326860312, 0.6251626673139688, 1.250325334627938, 0.5867921407167818, 3.674234950689439, f64::NAN]),
    (Change::Weibull { rate: 1.0, shape: 20.0 }, Order::Random, 1e-16, [9.735042655627756e-17, 0.9999999999999999, 5833333333333332.0, 0.9735042655627756, 5.833333333333334e+31, f64::NAN]),
    (Change::Weibull { rate: 0.5, shape: 0.3 }, Order::PurelyRandom, 0.03, [0.30243678255513173, 0.6975632174448683, 23.252107248162275, 3.3527483396549176, 886.8285195939064, f64::NAN]),
    (Change::Weibull { rate: 0.5, shape: 0.3 }, Order::Fixed, 1.0, [0.6836315261268275, 0.3163684738731724, 0.1406149356214461, 0.07710086641419417, 0.1757535382517263, f64::NAN]),
    (Change::Weibull { rate: 0.5, shape: 0.3 }, Order::Random, 1.0, [0.6755508756223393, 0.32444912437766066, 0.17316430619466308, 0.0783504767151133, 0.21583513364234092, f64::NAN]),
    (Change::Weibull { rate: 0.5, shape: 0.3 }, Order::PurelyRandom, 20.0, [0.8345568869141615, 0.16544311308583842, 0.008272155654291923, 0.0022412318251125193, 0.0005256693739702221, f64::NAN]),
    (Change::Weibull { rate: 2.0, shape: 0.8 }, Order::Random, 0.03, [0.014285526135199268, 0.9857144738648007, 18.976883469639294, 0.4758143713536299, 647.8548245222148, f64::NAN]),
    (Change::Weibull { rate: 2.0, shape: 0.8 }, Order::Fixed, 1.0, [0.3835500467837149, 0.6164499532162852, 0.2488069902987263, 0.24821476354710217, 0.3676429629175588, f64::NAN]),
    (Change::Weibull { rate: 2.0, shape: 0.8 }, Order::PurelyRandom, 1.0, [0.30081412067958047, 0.6991858793204195, 0.6991858793204195, 0.19415543547303765, 0.8933413147934571, f64::NAN]),
    (Change::Weibull { rate: 2.0, shape: 0.8 }, Order::Random, 20.0, [0.8946933414587612, 0.10530665854123872, 0.002408286008850661, 0.0039069951873901745, 0.00021095583371818715, f64::NAN]),
    (Change::Weibull { rate: 0.1, shape: 2.5 }, Order::PurelyRandom, 0.03, [0.06429339255311753, 0.9357066074468825, 31.190220248229416, 2.0600154784095843, 1108.3411908879666, f64::NAN]),
    (Change::Weibull { rate: 0.1, shape: 2.5 }, Order::Fixed, 1.0, [0.9722426696195515, 0.02775733038044846, 0.006232191568651625, 0.06740525158359197, 0.021525138811796837, f64::NAN]),
    (Change::Weibull { rate: 0.1, shape: 2.5 }, Order::Random, 1.0, [0.9535807454080808, 0.04641925459191926, 0.014922856848764347, 0.10788279011537327, 0.05034936737941172, f64::NAN]),
    (Change::Weibull { rate: 0.1, shape: 2.5 }, Order::PurelyRandom, 20.0, [0.9998144061257752, 0.00018559387422478895, 9.279693711239449e-06, 2.3175898382830012e-05, 1.622779604703473e-06, f64::NAN]),
    (Change::Weibull { rate: 1.5, shape: 5.0 }, Order::Random, 0.03, [0.025396367309285628, 0.9746036326907144, 18.609109405571463, 0.8463354080444675, 647.7710112321497, f64::NAN]),
    (Change::Weibull { rate: 1.5, shape: 5.0 }, Order::Fixed, 1.0, [0.825156867255605, 0.17484313274439503, 0.02887941439742945, 0.6020267071071751, 0.1459637183469656, f64::NAN]),
    (Change::Weibull { rate: 1.5, shape: 5.0 }, Order::PurelyRandom, 1.0, [0.5628793149532723, 0.43712068504672774, 0.43712068504672774, 0.3532590211343853, 0.790379706181113, f64::NAN]),
    (Change::Weibull { rate: 1.5, shape: 5.0 }, Order::Random, 20.0, [0.9999996456478458, 3.54352154224869e-07, 3.952749230398874e-09, 8.858790746980713e-08, 1.185823832672971e-09, f64::NAN]),
    (Change::GammaPoisson { alpha: 0.001, beta: 2.0 }, Order::PurelyRandom, 0.03, [0.9975662206438755, 0.0024337793561245834, 0.08112597853748611, 0.02838464864254668, 3.6503542393344266, 0.004705482681772277]),
    (Change::GammaPoisson { alpha: 0.001, beta: 2.0 }, Order::Fixed, 1.0, [0.9997836348801603, 0.0002163651198397429, 7.458497224573725e-05, 0.0001890177984002248, 0.00014178014759400566, 0.00023200215492494888]),
    (Change::GammaPoisson { alpha: 0.001, beta: 2.0 }, Order::Random, 1.0, [0.9997556572782988, 0.00024434272170117754, 0.00010805428291065342, 0.00020794871833312034, 0.000202594118558721, 0.0002658776682134217]),
    (Change::GammaPoisson { alpha: 0.001, beta: 2.0 }, Order::PurelyRandom, 20.0, [0.9999755964668982, 2.4403533101828906e-05, 1.2201766550914454e-06, 1.1917136196870955e-06, 1.2059451373892704e-07, 2.46970754105722e-05]),
    (Change::GammaPoisson { alpha: 0.7, beta: 3.0 }, Order::Random, 0.03, [0.3229139727344338, 0.6770860272655662, 11.91352291068709, 5.124758959971006, 505.130330084018, 1.4304432132368925]),
    (Change::GammaPoisson { alpha: 0.7, beta: 3.0 }, Order::Fixed, 1.0, [0.9013835756935102, 0.09861642430648972, 0.03420438248150684, 0.08377980751649701, 0.06441204182498288, 0.10704735610431187]),
    (Change::GammaPoisson { alpha: 0.7, beta: 3.0 }, Order::PurelyRandom, 1.0, [0.8414667942182885, 0.15853320578171148, 0.15853320578171148, 0.1134271386076675, 0.271960344389379, 0.18935443355208326]),
    (Change::GammaPoisson { alpha: 0.7, beta: 3.0 }, Order::Random, 20.0, [0.9932758249195762, 0.006724175080423814, 0.00014442841780110474, 0.000332201548206037, 1.4373497536777815e-05, 0.006764657434592881]),
    (Change::GammaPoisson { alpha: 4.0, beta: 1.5 }, Order::PurelyRandom, 0.03, [0.014675851381774078, 0.9853241486182259, 32.8441382872742, 0.47879396130920476, 1110.7644082861134, 4.372046272805332]),
    (Change::GammaPoisson { alpha: 4.0, beta: 1.5 }, Order::Fixed, 1.0, [0.392, 0.608, 0.24, 0.2624, 0.368, 0.884158957099324]),
    (Change::GammaPoisson { alpha: 4.0, beta: 1.5 }, Order::Random, 1.0, [0.37142857142857144, 0.6285714285714286, 0.3112226629299271, 0.24653061224489795, 0.4568082016864092, 0.9594552725942745]),
    (Change::GammaPoisson { alpha: 4.0, beta: 1.5 }, Order::PurelyRandom, 20.0, [0.8852675376830959, 0.11473246231690416, 0.005736623115845208, 0.004954814061262924, 0.0005345718588554066, 0.12348893545340257]),
    (Change::GammaPoisson { alpha: 1000.0, beta: 40.0 }, Order::Random, 0.03, [0.001201199462789845, 0.9987988005372102, 19.40445254867131, 0.040039866198904435, 648.1465433439057, 6.394213411791381]),
    (Change::GammaPoisson { alpha: 1000.0, beta: 40.0 }, Order::Fixed, 1.0, [0.04004004003926495, 0.959959959960735, 0.4615647711839778, 0.04004004002037918, 0.49839518877675726, 2.835631446476419]),
    (Change::GammaPoisson { alpha: 1000.0, beta: 40.0 }, Order::PurelyRandom, 1.0, [0.03849712858377032, 0.9615028714162297, 0.9615028714162297, 0.03701372712113477, 0.9985165985373644, 3.2576342115058137]),
    (Change::GammaPoisson { alpha: 1000.0, beta: 40.0 }, Order::Random, 20.0, [0.5394723077158321, 0.4605276922841679, 0.01073832450824806, 0.013980452588722388, 0.0008986395780069019, 0.5776779730837358]),
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
