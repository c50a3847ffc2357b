"""Names people look for here, in lower case without underscores, and the line that answers them."""

from __future__ import annotations

__all__ = [
    "CALLED_ROOMS",
    "NAMES",
    "OF_ACCOUNTANTS",
    "OF_CALIBRATIONS",
    "OF_CONVERSIONS",
    "OF_GUARANTEES",
    "OF_MECHANISMS",
    "OF_PLOTS",
    "OF_REPORTS",
    "OF_RISKS",
    "OF_TABLES",
    "OF_TARGETS",
    "QUANTITIES",
]


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
    **_all(("cite", "citation", "bibtex"), f"ny.account({_DPSGD}).cite()"),
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
    **_all(("version", "ver"), "ny.__version__"),
    **_all(("help", "docs", "doc"), "help(ny)"),
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
    **_all(("save", "writereport", "tojson", "todict", "serialize", "dump"), 'ny.report(g).save("report.json")'),
    **_all(("tohtml", "html"), 'ny.report(g).save("report.html")'),
    **_all(("topdf", "pdf"), 'ny.report(g).save("report.html")'),
    **_all(("tolatex", "latex", "totex", "tex"), 'ny.report(g).save("report.tex")'),
    **_all(("tomarkdown", "markdown", "tomd"), 'ny.report(g).save("report.md")'),
    **_all(("savefig", "saveplot", "tosvg", "topng", "show"), 'g.plot("roc").savefig("roc.svg")'),
    **_all(("tocsv", "tofile", "todataframe", "topandas", "dataframe"), 'ny.plot.roc.data(g).to_csv("roc.csv")'),
    **_all(("plotroc", "plottradeoff", "plotcurve", "draw"), 'g.plot("roc")'),
    **_all(("cite", "citation", "bibtex", "citeme"), "g.cite()"),
    **_all(("plot",), 'g.plot("roc")'),
    **_all(("summary",), "g.summary()"),
    **_all(("posterior",), "g.posterior(0.5, 0.01)"),
    **_all(("report",), "ny.report(g)"),
    **_all(("describe", "info", "stats", "table", "print"), "g.summary()"),
    **_all(("f1", "accuracy", "attackaccuracy", "bestaccuracy"), "ny.risk.accuracy(g, 0.5)"),
    **_all(("posteriorbelief", "ppv", "precision"), "g.posterior(0.5, 0.01)"),
    **_all(("verify", "check"), "ny.verify(ny.report(g).to_dict())"),
    **_all(("regretof", "getregret", "regretofmu"), "g.gdp().regret"),
    **_all(("sigma", "noise", "noisemultiplier", "samplerate", "steps"), "g.mechanism"),
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
    **_all(("report",), "ny.report(m)"),
    **_all(
        ("noise", "noisemultiplier", "scale", "std", "stddev", "samplerate", "q", "epochs", "t", "num_steps"), "m.parts"
    ),
}

OF_ACCOUNTANTS: dict[str, str] = {
    **_all(("epsilon", "eps", "computeepsilon", "getprivacyspent", "privacyspent", "spent"), "a.get_epsilon(1e-5)"),
    **_all(("compose", "add", "record", "accumulate", "composepoissonsubsampledgaussian", "update"),
           "a.step(noise_multiplier=1.1, sample_rate=0.01)"),
    **_all(("getguarantee", "account", "curve"), "a.guarantee()"),
    **_all(("steps", "count", "numsteps"), "len(a)"),
}  # fmt: skip

OF_TABLES: dict[str, str] = {
    **_all(("tolatex", "tex", "totex", "latextable", "booktabs"), "t.latex()"),
    **_all(("tocsv", "csvtext"), "t.csv()"),
    **_all(("tomarkdown", "md", "tomd"), "t.markdown()"),
    **_all(("save", "tofile", "export", "saveas", "dump"), 't.write("runs.csv")'),
    **_all(("todataframe", "dataframe", "df", "pandas", "topandas", "todict", "torecords"), "t.records()"),
}
OF_REPORTS: dict[str, str] = {
    **_all(("write", "export", "tofile", "saveas", "dump"), 'r.save("run.html")'),
    **_all(("html", "tohtmlstring"), "r.to_html()"),
    **_all(("json", "dumps"), "r.to_json()"),
    **_all(("latex", "tex", "totex"), "r.to_latex()"),
    **_all(("markdown", "md", "tomd"), "r.to_markdown()"),
    **_all(("pdf",), "r.to_pdf()"),
    **_all(("verify", "check"), "ny.verify(r.to_dict())"),
    **_all(("show", "open", "display", "view"), 'r.save("run.html")'),
    **_all(("prove",), "ny.prove(r)"),
}
CALLED_ROOMS: dict[str, str] = {
    "audit": "ny.audit.from_scores(scores_in, scores_out)",
    "census": "ny.census.published(ny.census.NAMES[0])",
    "comparison": "ny.compare(g, g)",
    "conversions": 'ny.convert(epsilon=8.0, delta=1e-5, to="mu")',
    "plot": "ny.plot.tradeoff(g)",
    "risk": "ny.risk.tpr(g, 0.01)",
}
OF_CONVERSIONS: dict[str, str] = {
    **_all(("epstomu", "epsilontomu", "epsilondeltatomu", "dptogdp"), 'ny.convert(epsilon=8.0, delta=1e-5, to="mu")'),
    **_all(("mutoeps", "mutoepsilon", "gdptodp", "gdptoeps"), 'ny.convert(mu=1.0, to="epsilon")'),
    **_all(("rhotoeps", "rhotoepsilon", "zcdptodp", "zcdptoeps"), 'ny.convert(rho=0.5, to="epsilon")'),
    **_all(("rdptodp", "rdptoeps", "rdptoepsilon", "renyitodp"), 'ny.convert(ny.RDP([2.0], [1.0]), to="epsilon")'),
    **_all(("convert",), 'ny.convert(mu=1.0, to="epsilon")'),
}

OF_RISKS: dict[str, str] = {
    **_all(("power", "roc", "attack", "membershipinference", "mia"), "ny.risk.tpr(g, 0.01)"),
    **_all(("tv", "totalvariation"), "ny.risk.advantage(g)"),
    **_all(("bayes", "error"), "ny.risk.bayes_error(g, 0.5)"),
    **_all(("ppv", "belief"), "ny.risk.posterior(g, 0.5, 0.01)"),
    **_all(("rero",), "ny.risk.reconstruction(g, 0.1)"),
}

OF_CALIBRATIONS: dict[str, str] = {
    **_all(
        ("sigma", "noisemultiplier", "noise", "value", "x", "scale", "result", "steps", "samplerate", "rate", "best",
         "solution", "root"),
        "c.parameter",
    ),
    **_all(("achieved", "privacy", "promise"), "c.guarantee"),
    **_all(("made", "dpsgd"), "c.mechanism"),
    **_all(("bounds", "interval", "low", "high"), "c.bracket"),
}  # fmt: skip

OF_PLOTS: dict[str, str] = {
    **_all(("tpr", "power", "attack", "roccurve", "plotroc", "receiver"), "ny.plot.roc(g)"),
    **_all(("curve", "f", "fnr", "beta", "tradeofffunction", "tradeoffcurve", "plot", "plottradeoff"),
           "ny.plot.tradeoff(g)"),
    **_all(("delta", "epsilon", "privacyprofile", "hockeystick", "epsdelta"), "ny.plot.profile(g)"),
    **_all(("loss", "pld", "prv", "privacylossdistribution", "losses"), "ny.plot.privacy_loss(g)"),
    **_all(("bayes", "error", "errors", "priors"), "ny.plot.bayes_error(g)"),
    **_all(("mu", "gdp", "localgdp"), "ny.plot.local_mu(g)"),
    **_all(("tangent", "tangents"), "ny.plot.roc_tangent(g)"),
    **_all(("compare", "comparison"), "ny.plot.tradeoff(g, ny.GDP(1.0))"),
}  # fmt: skip

_PAIR = "ny.targets.Epsilon(8.0, delta=1e-5)"
OF_TARGETS: dict[str, str] = {
    **_all(("epsilon", "eps", "epsilondelta", "dp", "approxdp", "approximatedp", "epsdelta", "targetepsilon", "pure",
            "delta", "puredp"), _PAIR),
    **_all(("mu", "gdp", "gaussiandp"), "ny.targets.Mu(1.0)"),
    **_all(("tv", "advantage", "totalvariation", "membershipadvantage"), "ny.targets.Advantage(0.1)"),
    **_all(("tpr", "power", "roc", "attackpower", "fnr", "beta"), "ny.targets.TPR(0.1, fpr=0.01)"),
    **_all(("accuracy", "bayes", "bayeserror", "error"), "ny.targets.BayesError(0.4, prior=0.5)"),
    **_all(("posterior", "ppv", "belief"), "ny.targets.Posterior(0.9, membership_prior=0.5, fpr=0.01)"),
    **_all(("divergence", "distance", "delta2"), "ny.targets.Divergence(0.1, baseline=g)"),
    **_all(("reconstruction", "rero", "success"), "ny.targets.Reconstruction(0.2, baseline=0.1)"),
    **_all(("both", "every", "and"), f"ny.targets.All({_PAIR}, ny.targets.Mu(1.0))"),
}  # fmt: skip

QUANTITIES: dict[str, str] = {
    **_all(("eps", "epsilon", "dp", "approxdp"), "epsilon"),
    **_all(("gdp", "mu", "mugdp", "gaussiandp"), "mu"),
    **_all(("zcdp", "cdp", "rho", "rhozcdp"), "rho"),
    **_all(("tv", "adv", "advantage", "totalvariation", "membershipadvantage"), "advantage"),
    **_all(("tpr", "roc", "power"), "tpr"),
    **_all(("beta", "fnr", "f", "tradeoff", "typeii"), "beta"),
    **_all(("rdp", "renyi", "renyidp"), "renyi"),
    **_all(("bayes", "bayeserror", "error"), "bayes_error"),
    **_all(("area", "auc", "auroc"), "auc"),
    **_all(("profile", "delta", "hockeystick"), "delta"),
    **_all(("regret",), "regret"),
}
