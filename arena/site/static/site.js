// All pages work without this. It writes the secret of an invitation, which stands behind the # of
// its link and is sent to no server, into the form of the page.
"use strict";
const field = document.querySelector("[data-from-fragment]");
if (field && location.hash.length > 1) {
  field.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  document.querySelector("#name").focus();
}
