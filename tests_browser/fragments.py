"""What forgers put into pages: that on which parsers of HTML part ways, and that which works in every browser."""
# ruff: noqa: E501 - a fragment is one string

from __future__ import annotations

__all__ = ["COMMENTS", "FOREIGN", "HEADS", "HIDERS", "LIE", "MARK", "PROGRAMS", "RUN", "SHOWN"]

MARK = "neymanRan"  # what a program of ours sets on the window, if it runs
LIE = "<h1>mu = 0.01</h1>"
RUN = f"window.{MARK}=1"

PROGRAMS = (
    f"<script>{RUN}</script>",
    f"<script>{RUN}</script x>",
    f"<SCRIPT>{RUN}</sCript\n>",
    f"<script type=module>{RUN}</script>",
    f"<script nomodule>{RUN}</script><script>{RUN};document.body.innerHTML='{LIE}'</script>",
    f"<img src=x onerror={RUN}>",
    f"<svg onload={RUN}>",
    f"<svg/onload={RUN}//>",
    f"<body onload={RUN}>",
    f"<details open ontoggle={RUN}>x</details>",
    f"<iframe srcdoc='<script>parent.{MARK}=1</script>'></iframe>",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={RUN}&gt;'>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><style><img src=x onerror={RUN}></style></svg>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'></noscript>",
    f"<a href=javascript:{RUN}>x</a>",
    f"<object data='data:text/html,<script>parent.{MARK}=1</script>'></object>",
    f"<embed src='data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22 onload=%22{RUN}%22/>'>",
    f"<input autofocus onfocus={RUN}>",
    f"<style onload={RUN}></style>",
    f"<template shadowrootmode=open><script>{RUN}</script>{LIE}</template>",
)
SHOWN = (
    LIE, "mu = 0.01", "<p>mu = 0.01", "</br>mu = 0.01", "</p>mu = 0.01", "<b>0</b>", "0", ".", "\u200b0", "&#48;", "&#1;",
    "&#x80;", "&NotEqualTilde;", "&ltmu", "&lt;b&gt;", "&amp;amp;", "&#xD800;", "&#0;", "&zwnj;0", "&nbsp;",
    "<plaintext>mu = 0.01", "<xmp>mu = 0.01</xmp>", "<listing>0.01", "<textarea>mu = 0.01", "<title>mu</title>0.01",
    "<input value='mu = 0.01'>", "<button>mu = 0.01</button>", "<select><option>mu = 0.01", "<marquee>mu = 0.01</marquee>",
    "<dialog open>mu = 0.01</dialog>", "<table><tr><td>mu = 0.01", "<q>", "<ruby>1<rt>0.01</ruby>", "<del>", "<wbr>",
    "<progress></progress>", "<meter value=1></meter>", "<hr>", "<img alt='mu = 0.01'>", "<img src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' width=900 height=900>", "<iframe srcdoc='mu = 0.01'>",
    "<frameset><frame src='data:text/html,0.01'></frameset>", "<isindex>", "<keygen>", "<menuitem>x", "<bdo dir=rtl>10.0</bdo>",
)  # fmt: skip
COMMENTS = (
    "<!-->", "<!--->", "<!-- -- >", "<!-- --!>", "<!--", "-->", "--!>", "-- >", "<!-", "<!", "<!x>", "</ x>", "</>", "<?xml x?>",
    "<?php echo 1 ?>", "<![CDATA[", "]]>", "<![CDATA[x]]>", "<!DOCTYPE html>", "<!--[if IE]>", "<![endif]-->", "<!-- <!-- -->",
    "<!-- it was audited -->", "<!---->", "<%", "%>", "<//x>", "</ >", "<!doctype x [<!ENTITY m '0.01'>]>", "<!-- >x< -->",
)  # fmt: skip
HEADS = (
    "<base href='https://example.org/'>", "<base target=x>", "<meta http-equiv=refresh content='9;url=about:blank'>",
    "<meta http-equiv=refresh content='0;url=data:text/html,0.01'>", "<meta charset=utf-7>", "<meta charset=utf-16>",
    "<meta charset=iso-2022-jp>", "<meta charset=windows-1252>", "<meta name=viewport content='width=9'>",
    "<meta name=color-scheme content=dark>", "<meta http-equiv=content-security-policy content=\"style-src *\">",
    "<meta http-equiv=content-language content=ar>", "<meta http-equiv=default-style content=x>",
    "<style>*{display:none}</style>", "<style>.claim{display:none}</style>", "<style>.claim:after{content:'0'}</style>",
    "<style>@import 'x';</style>", "<link rel=stylesheet href='data:text/css,*{display:none}'>", "<style>", "</style>",
    "<link rel=icon href=x>", "<title>0.01</title>", "<noscript><style>*{display:none}</style></noscript>", "<head>", "</head>",
    "<html hidden>", "<body hidden>", "<html dir=rtl>", "<body style='display:none'>", "<style media=all>main{opacity:0}</style>",
)  # fmt: skip
FOREIGN = (
    f"<svg><foreignObject>{LIE}</foreignObject></svg>", f"<svg><title>{LIE}</title></svg>", f"<svg><desc>{LIE}</desc></svg>",
    "<svg><text y=20>mu = 0.01</text></svg>", "<svg width=9999 height=9999><rect width='100%' height='100%'/></svg>",
    f"<svg></p>{LIE}", f"<svg></br>{LIE}", f"<svg><p>{LIE}", f"<math><mi>{LIE}</mi></math>", "<math><ms>0.01</ms></math>",
    f"<math><annotation-xml encoding='text/html'>{LIE}</annotation-xml></math>", f"<svg><![CDATA[><{LIE}]]></svg>",
    f'<svg><path d==">{LIE}<p title="></svg>', f"<svg><style><!--</style>{LIE}<!--></svg>", "<svg><image href='data:,x'/></svg>",
    "<svg><use href='#roc'/></svg>", f"<svg><a><p>{LIE}</a></svg>", "<svg><animate attributeName=x></svg>", f"</svg>{LIE}",
    f"<svg><font color=red>{LIE}</svg>", f"<math><mtext></p>{LIE}</mtext></math>", f"<svg><template>{LIE}</template></svg>",
)  # fmt: skip
HIDERS = (  # of what stands between
    ("<!--", "-->"), ("<!-- -- >", "-->"), ("<!-->", "-->"), ("<template>", "</template>"), ("<noscript>", "</noscript>"),
    ("<script type=text/plain>", "</script>"), ("<script type='application/json' id='neyman-report'>", "</script x>"),
    ("<style media=none>", "</style>"), ("<textarea hidden>", "</textarea>"), ("<title>", "</title>"), ("<xmp hidden>", "</xmp>"),
    ("<div hidden>", "</div>"), ("<div style='display:none'>", "</div>"), ("<iframe>", "</iframe>"), ("<noembed>", "</noembed>"),
    ("<noframes>", "</noframes>"), ("<select hidden>", "</select>"), ("<svg>", "</svg>"), ("<math>", "</math>"),
    ("<![CDATA[", "]]>"), ("<p title='", "'>"), ('<p title="', '">'), ("<p title==", ">"), ("<object>", "</object>"),
    ("<details>", "</details>"), ("<video>", "</video>"), ("<canvas>", "</canvas>"), ("<datalist>", "</datalist>"), ("<!x ", ">"),
    ("<?x ", ">"), ("</x ", ">"), ("<svg><title>", "</title></svg>"), ("<svg><desc><style>", "</style></desc></svg>"),
)  # fmt: skip
