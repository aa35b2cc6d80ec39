// A link /enter#TOKEN signs in at once: what stands after # is never sent in an address or kept in a log.
(() => {
  const token = decodeURIComponent(location.hash.slice(1));
  const form = document.getElementById("token-form");
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  if (form) {
    form.elements.token.value = token;
    form.submit();
  }
})();
