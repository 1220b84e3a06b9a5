// Checks in the browser that an event is in the signed log: inclusion (RFC 6962), and the signature of the checkpoint.
"use strict";

(() => {
  const encoder = new TextEncoder();

  const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

  const hash = async (prefix, ...parts) => {
    const length = parts.reduce((sum, part) => sum + part.length, 1);
    const input = new Uint8Array(length);
    input[0] = prefix;
    let offset = 1;
    for (const part of parts) {
      input.set(part, offset);
      offset += part.length;
    }
    return new Uint8Array(await crypto.subtle.digest("SHA-256", input));
  };

  const same = (left, right) => left.length === right.length && left.every((byte, index) => byte === right[index]);

  // RFC 9162, section 2.1.3.2. Positions are exact in a double up to 2^53.
  const rootOf = async (leaf, index, size, path) => {
    let node = BigInt(index);
    let last = BigInt(size) - 1n;
    if (node > last || node < 0n) throw new Error("The place of the event is outside the log.");
    let root = leaf;
    for (const sibling of path) {
      if (last === 0n) throw new Error("The path is too long.");
      if ((node & 1n) === 1n || node === last) {
        root = await hash(1, sibling, root);
        while ((node & 1n) === 0n && node !== 0n) {
          node >>= 1n;
          last >>= 1n;
        }
      } else {
        root = await hash(1, root, sibling);
      }
      node >>= 1n;
      last >>= 1n;
    }
    if (last !== 0n) throw new Error("The path is too short.");
    return root;
  };

  // A checkpoint is a signed note: origin, size and root, an empty line, signatures.
  const readCheckpoint = (note) => {
    const end = note.indexOf("\n\n");
    const text = note.slice(0, end + 1);
    const [origin, size, root] = text.split("\n");
    const signatures = note.slice(end + 2).split("\n").filter((line) => line.startsWith("\u2014 ")).map((line) => {
      const [, name, value] = line.split(" ");
      return { name, value: bytesOf(value) };
    });
    return { text, origin, size, root: bytesOf(root), signatures };
  };

  // Whether the log's key signed; null if this browser cannot verify the signature.
  const isSigned = async (checkpoint, keys) => {
    for (const line of keys.split("\n").filter((line) => line !== "")) {
      const [name, id, value] = line.split("+").length > 3
        ? [line.split("+")[0], line.split("+")[1], line.split("+").slice(2).join("+")]
        : line.split("+");
      const key = bytesOf(value);
      const wanted = Uint8Array.from(id.match(/../g), (digits) => parseInt(digits, 16));
      for (const signature of checkpoint.signatures) {
        if (signature.name !== name || !same(signature.value.slice(0, 4), wanted)) continue;
        let imported;
        try {
          imported = await crypto.subtle.importKey("raw", key.slice(1), { name: "Ed25519" }, false, ["verify"]);
        } catch {
          return null;
        }
        const signed = encoder.encode(checkpoint.text);
        if (await crypto.subtle.verify({ name: "Ed25519" }, imported, signature.value.slice(4), signed)) return true;
      }
    }
    return false;
  };

  const fetchText = async (address, missing) => {
    const response = await fetch(address, { headers: { Accept: "*/*" } });
    if (!response.ok) throw new Error(missing);
    return response.text();
  };

  const check = async (place) => {
    if (!window.crypto || !crypto.subtle) throw new Error("This browser can hash only over HTTPS or on localhost.");
    const text = await fetchText(place.dataset.proof, "No checkpoint covers the event yet. Try again in a moment.");
    const proof = JSON.parse(text);
    const leaf = await hash(0, encoder.encode(proof.line));
    const root = await rootOf(leaf, proof.leafIndex, proof.size, proof.hashes.map(bytesOf));
    const checkpoint = readCheckpoint(proof.checkpoint);
    if (checkpoint.size !== String(proof.size)) throw new Error("The checkpoint is of another log.");
    if (!same(root, checkpoint.root)) throw new Error("The event is NOT in the log that was signed.");
    const keys = await fetch(place.dataset.key);
    const signed = keys.ok ? await isSigned(checkpoint, await keys.text()) : null;
    if (signed === false) throw new Error("The checkpoint is NOT signed with the log's key.");
    return { proof, checkpoint, signed };
  };

  const show = (place, tone, words) => {
    const verdict = document.createElement("p");
    verdict.className = `verdict ${tone}`;
    verdict.textContent = words;
    place.querySelector(".result").replaceChildren(verdict);
  };

  for (const place of document.querySelectorAll(".proof")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Check the proof";
    const result = document.createElement("div");
    result.className = "result";
    result.setAttribute("role", "status");
    place.append(button, result);
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        const { proof, checkpoint, signed } = await check(place);
        const signature = signed ? "and signed with the log's key" : "its signature could not be checked by this browser";
        show(
          place,
          "good",
          `The event is in the log of ${proof.size} events of ${checkpoint.origin}: ${proof.hashes.length} hashes lead `
            + `to the root of the checkpoint, ${signature}.`,
        );
      } catch (error) {
        show(place, "bad", error.message);
      }
      button.disabled = false;
    });
  }
})();
