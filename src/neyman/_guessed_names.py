"""Names people look for here, in lower case without underscores, and the line that answers them."""

from __future__ import annotations

__all__ = ["NAMES", "OF_GUARANTEES", "OF_MECHANISMS"]


def _all(names: tuple[str, ...], line: str) -> dict[str, str]:
    return dict.fromkeys(names, line)


_DPSGD = "ny.DPSGD(noise_multiplier=1.1, epochs=10, batch_size=512, dataset_size=60000)"
_EPSILON = f"ny.account({_DPSGD}).epsilon(1e-5)"
_NOISE = "ny.noise_for_dpsgd(epsilon=8.0, delta=1e-5, sample_rate=0.01, steps=1000).parameter"
_STEPS = "ny.steps_for_dpsgd(epsilon=8.0, delta=1e-5, noise_multiplier=1.1, sample_rate=0.01).parameter"
_RATE = "ny.rate_for_dpsgd(epsilon=8.0, delta=1e-5, noise_multiplier=1.1, steps=1000).parameter"
_SIGMA = "ny.calibrate(ny.Gaussian, epsilon=1.0, delta=1e-5).parameter"
_GAUSSIAN, _LAPLACE = "ny.Gaussian(sigma=1.0)", "ny.Laplace(scale=1.0)"

NAMES: dict[str, str] = {
    **_all(
        (
            "dpsgd",
            "dpsgdmechanism",
            "noisysgd",
            "dptraining",
            "train",
            "subsampledgaussian",
            "sampledgaussian",
            "poissonsubsampledgaussian",
            "subsampledgaussianmechanism",
        ),
        _DPSGD,
    ),
    **_all(
        (
            "computeepsilon",
            "getepsilon",
            "computedpsgdprivacy",
            "computedpsgdprivacystatement",
            "epsilonfordpsgd",
            "getprivacyspent",
            "privacyspent",
            "applydpsgdanalysis",
            "computeeps",
            "geteps",
            "epsilon",
            "eps",
            "computeprivacy",
            "computeepsilonfordpsgd",
            "dpsgdepsilon",
            "epsilonof",
            "dpsgdprivacy",
        ),
        _EPSILON,
    ),
    **_all(("delta", "computedelta", "getdelta", "deltafordpsgd"), f"ny.account({_DPSGD}).delta(1.0)"),
    **_all(("mu", "computemu", "getmu", "getmuandregretfordpsgd", "mufordpsgd"), f"ny.account({_DPSGD}).mu()"),
    **_all(
        (
            "getnoisemultiplier",
            "noisemultiplier",
            "findnoisemultiplier",
            "computenoise",
            "computenoisemultiplier",
            "getnoise",
            "noisefor",
            "noise",
            "calibratenoise",
            "calibratenoisemultiplier",
            "getsigmafordpsgd",
            "calibratedpsgd",
            "calibratedpmechanism",
            "findnoisemultiplierforepsilondelta",
        ),
        _NOISE,
    ),
    **_all(
        ("findnoisemultiplierforadvantage",),
        "ny.noise_for_dpsgd(advantage=0.1, sample_rate=0.01, steps=1000).parameter",
    ),
    **_all(("steps", "getsteps", "maxsteps", "stepsfor", "getmaxsteps", "epochsfor", "epochsfordpsgd"), _STEPS),
    **_all(("samplerate", "getsamplerate", "ratefor", "batchsizefor", "batchsizefordpsgd"), _RATE),
    **_all(
        (
            "sigma",
            "getsigma",
            "computesigma",
            "sigmafor",
            "calibrategaussian",
            "gaussiansigma",
            "analyticgaussian",
            "analyticgaussianmechanism",
            "calibrateanalyticgaussianmechanism",
            "noiseforgaussian",
            "gaussiannoise",
        ),
        _SIGMA,
    ),
    **_all(("gaussianmechanism", "gaussmechanism", "gauss", "normal", "gaussiandpevent"), _GAUSSIAN),
    **_all(("laplacemechanism", "laplacian", "laplacedpevent", "laplacenoise"), _LAPLACE),
    **_all(("noiseforlaplace", "calibratelaplace"), "ny.calibrate(ny.Laplace, epsilon=1.0, delta=0.0).parameter"),
    **_all(("geometric", "geometricmechanism", "discretelaplacemechanism"), "ny.DiscreteLaplace(scale=1.0)"),
    **_all(("discretegaussianmechanism",), "ny.DiscreteGaussian(sigma=1.0)"),
    **_all(
        ("exponential", "exponentialmechanism", "puredpmechanism", "epsilonmechanism"), "ny.PureMechanism(epsilon=1.0)"
    ),
    **_all(("rr", "randomisedresponse", "krr", "randomresponse", "bernoulli"), "ny.RandomizedResponse(epsilon=1.0)"),
    **_all(
        (
            "rdpaccountant",
            "pldaccountant",
            "prvaccountant",
            "momentsaccountant",
            "privacyaccountant",
            "privacyengine",
            "ctdaccountant",
            "gaussianaccountant",
            "getaccountant",
            "ledger",
            "privacyledger",
        ),
        "ny.Accountant()",
    ),
    **_all(("gaussiandp", "mugdp", "gaussdp"), "ny.GDP(mu=1.0)"),
    **_all(("zerocdp", "concentrateddp", "rhozcdp", "cdp"), "ny.ZCDP(rho=0.5)"),
    **_all(("renyidp", "computerdp"), "ny.RDP([2.0, 4.0], [0.5, 1.0])"),
    **_all(
        ("approxdp", "epsilondelta", "epsdeltadp", "dp", "epsilondeltadp", "adp"),
        "ny.ApproximateDP(epsilon=1.0, delta=1e-5)",
    ),
    **_all(("epsilondp", "pure", "puredifferentialprivacy"), "ny.PureDP(epsilon=1.0)"),
    **_all(("target", "targetepsilon"), "ny.targets.Epsilon(8.0, delta=1e-5)"),
    **_all(("composition", "composed", "composemechanisms", "adaptivecomposition"), "ny.compose([m, m])"),
    **_all(("accounting", "accountfor", "guaranteeof", "analyse", "analyze", "privacy"), "ny.account(m)"),
    **_all(("difference", "divergence", "distance", "comparemechanisms"), "ny.compare(g, g)"),
    **_all(("tradeofffunction", "tradeoffcurve", "tradeoffplot", "plottradeoff"), "ny.plot.tradeoff(g)"),
    **_all(("roc", "roccurve", "plotroc"), "ny.plot.roc(g)"),
    **_all(("profile", "privacyprofile", "plotprofile"), "ny.plot.profile(g)"),
    **_all(("advantage", "membershipadvantage", "tv", "totalvariation"), "ny.account(m).advantage"),
    **_all(("beta", "fnr", "getbeta", "getbetafordpsgd"), "ny.account(m).beta(0.01)"),
    **_all(("tpr", "power", "attackpower"), "ny.account(m).roc(0.01)"),
    **_all(("makereport", "createreport", "writereport", "privacyreport"), 'ny.report(m).save("report.json")'),
    **_all(("frompldpmf", "pld", "privacylossdistribution"), "ny.account(m).loss"),
    **_all(
        ("epochstosteps", "stepsofepochs", "schedule"), "ny.training(batch_size=512, dataset_size=60000, epochs=10)"
    ),
    **_all(
        ("grid", "gridsearch", "sweeps"),
        "ny.sweep(noise_multiplier=[1.0, 2.0], sample_rate=0.01, steps=1000, workers=1)",
    ),
}

OF_GUARANTEES: dict[str, str] = {
    **_all(
        (
            "getepsilon",
            "eps",
            "computeepsilon",
            "epsilonat",
            "epsilonfordelta",
            "epsilongivendelta",
            "getprivacyspent",
            "getepsilonfordelta",
            "toepsilondelta",
            "toapproxdp",
            "epsilon",
        ),
        "g.epsilon(1e-5)",
    ),
    **_all(
        (
            "getdelta",
            "computedelta",
            "deltaat",
            "deltaforepsilon",
            "getdeltaforepsilon",
            "profile",
            "privacyprofile",
            "hockeystick",
            "delta",
        ),
        "g.delta(1.0)",
    ),
    **_all(("getmu", "mugdp", "togdp", "gaussianmu", "gdpmu", "mu"), "g.mu()"),
    **_all(("getmuandregret", "muandregret", "gdp"), "g.gdp()"),
    **_all(("tradeoff", "f", "getbeta", "fnr", "tradeofffunction", "typeii", "typeiierror", "beta"), "g.beta(0.01)"),
    **_all(("tpr", "power", "attackpower", "tpratfpr", "roccurve", "roc"), "g.roc(0.01)"),
    **_all(("rdp", "getrdp", "tordp", "renyidivergence", "renyidp", "renyi"), "g.renyi(2.0)"),
    **_all(("rho", "tozcdp", "cdp", "zcdp"), "g.zcdp()"),
    **_all(("tv", "totalvariation", "membershipadvantage", "getadvantage", "advantage"), "g.advantage"),
    **_all(("area", "areaunderroc", "getauc", "auc"), "g.auc"),
    **_all(("pld", "privacyloss", "prv", "lossdistribution", "loss"), "g.loss"),
    **_all(("bayes", "errorrate", "bayeserror"), "g.bayes_error(0.5)"),
    **_all(("lower", "lowerbound", "lowerbounds", "optimisticbound", "optimistic"), "g.optimistic"),
    **_all(("upper", "upperbound", "upperbounds", "pessimistic"), "g.pessimistic"),
    **_all(("groupprivacy", "forgroup", "group"), "g.group(2)"),
    **_all(("compare", "compareto", "versus"), "ny.compare(g, g)"),
    **_all(("save", "tohtml", "topdf", "writereport"), 'ny.report(g).save("report.json")'),
    **_all(("repeat", "selfcompose", "composed", "times"), "g ** 2"),
    **_all(("compose",), "g * g"),
    **_all(("symmetrize", "symmetrised", "symmetric", "symmetrized"), "g.symmetrized()"),
    **_all(("isdp", "implies", "dominates", "satisfies"), "g.satisfies(g)"),
    **_all(("curve",), "g.curve()"),
}

OF_MECHANISMS: dict[str, str] = {
    **_all(
        ("subsample", "sample", "subsampled", "poissonsample", "poissonsubsample", "withrate", "sampled", "amplify"),
        "m.poisson(0.01)",
    ),
    **_all(("compose", "then", "composewith", "adaptivelycompose"), "m * m"),
    **_all(("repeat", "selfcompose", "times", "composed", "steps", "run"), "m ** 1000"),
    **_all(("shuffle", "shuffled", "ballsandbins"), "ny.Gaussian(1.0).allocated(100)"),
    **_all(("tojson", "asdict", "dict", "serialize", "serialise"), "m.to_dict()"),
    **_all(("guarantee", "accounting", "privacy", "accountfor"), "ny.account(m)"),
    **_all(("compare", "compareto", "versus"), "ny.compare(ny.account(m), ny.account(m))"),
    **_all(("save", "tohtml", "topdf", "writereport"), 'ny.report(m).save("report.json")'),
}
