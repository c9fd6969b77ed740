"use strict";
// Runs before anything is painted: tables fold only where a script can unfold them, and a chosen theme does not flash.
(function () {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = window.localStorage.getItem("forgetmap-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage may be forbidden, as it is for some files opened from disk: the theme is then that of the system.
  }
})();
