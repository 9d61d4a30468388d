// All pages work without this. A file can be dropped anywhere on the page that uploads one, and stands
// in the field then; the author looks at it and presses the button. And it writes the secret of an invitation, which stands behind the # of
// its link and is sent to no server, into the form of the page. A secret that is shown can be copied by a button.
"use strict";
const field = document.querySelector("[data-from-fragment]");
if (field && location.hash.length > 1) {
  field.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  document.querySelector("#name, form button").focus();
}
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;  // only there over TLS, and on this machine
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}
const drop = document.querySelector("[data-drop]");
if (drop) {
  const hasFiles = (event) => event.dataTransfer.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    drop.classList.add("over");
  });
  addEventListener("dragleave", () => drop.classList.remove("over"));
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files.length !== 1) return;
    drop.files = event.dataTransfer.files;
    drop.form.querySelector(drop.form.elements.bot.value ? "button" : "#bot").focus();
  });
}
