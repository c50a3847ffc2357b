/* Engine: neyman itself, behind the address this page came from. */

const GONE = "Nobody answers at this address any more: start `neyman explore` again.";

class ServerEngine {
  label = "native engine";
  exact = true;
  elsewhere = true;
  axes = null; // any value may be asked

  /** `unreported`: why no report can be written there, empty where one can. */
  constructor({ unreported = "" }) {
    this.unreported = unreported;
  }

  async answer(question) {
    try {
      const reply = await fetch("answer", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(question),
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
      });
      return await reply.json();
    } catch {
      return refusal(GONE, null, "");
    }
  }
}

function refusal(error, parameter, allowed, kind = "invalid", advice = "") {
  return { v: 1, ok: false, error, parameter, allowed, kind, advice };
}
