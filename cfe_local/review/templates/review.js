"use strict";
// Keyboard shortcuts. Every one of them presses a button or follows a link that stands on the page.
(() => {
  const setting = document.getElementById("shortcuts");
  if (sessionStorage.getItem("shortcuts") === "off" && setting) setting.checked = false;
  if (setting) setting.addEventListener("change", () => sessionStorage.setItem("shortcuts", setting.checked ? "on" : "off"));

  const aspects = () => [...document.querySelectorAll("form.aspect")];
  const active = () => document.querySelector("form.aspect.active");

  function mark(aspect) {
    if (!aspect) return;
    for (const other of aspects()) other.classList.toggle("active", other === aspect);
    aspect.scrollIntoView({ block: "nearest" });
  }
  function move(by) {
    const all = aspects();
    const next = all[Math.min(Math.max(all.indexOf(active()) + by, 0), all.length - 1)];
    mark(next);
    if (next) next.querySelector("button[name=label]").focus({ preventScroll: true });
  }
  function toggle(details) { if (details) details.open = !details.open; }
  function comment() {
    const more = active() && active().querySelector("details.more");
    if (!more) return;
    more.open = true;
    more.querySelector("textarea").focus();
  }

  // A second key while the answer is on its way would label what is no longer looked at.
  let sent = false;
  document.addEventListener("submit", () => { sent = true; });
  window.addEventListener("pageshow", () => { sent = false; });
  document.addEventListener("focusin", (event) => mark(event.target.closest("form.aspect")));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat || sent) return;
    if (event.target.matches("textarea, input:not([type=checkbox])")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (sessionStorage.getItem("shortcuts") === "off") return;
    if (/^[0-9u]$/.test(event.key)) {
      const button = active() && active().querySelector(`button[data-choice="${event.key}"]`);
      if (button) button.click();
    } else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "c") comment();
    else if (event.key === "t") toggle(document.getElementById("thinking"));
    else if (event.key === "e") toggle(active() && active().querySelector("details.evidence"));
    else if (event.key === "?") toggle(document.querySelector("details.help"));
    else {
      const target = /^[a-z]$/.test(event.key) && document.querySelector(`[data-key="${event.key}"]`);
      if (!target) return;
      target.click();
    }
    event.preventDefault();
  });
})();
