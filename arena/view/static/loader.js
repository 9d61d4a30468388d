"use strict";
// The one script that stands in the page as it is: it unpacks the style and all other scripts.

const arena = { boards: {} };

/** What is packed in a block of the page. @returns {Promise<Response>} */
arena.block = (name) => {
  const text = atob(document.getElementById(name).textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
};

(async () => {
  for (const kind of ["style", "script"]) {
    const node = document.createElement(kind);
    node.textContent = await arena.block(kind).text();
    document.head.append(node);
  }
})().catch((error) => {
  document.getElementById("page").textContent = `This page cannot be shown: ${error.message}`;
});
