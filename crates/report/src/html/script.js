
"use strict";
(() => {
  const list = document.getElementById("list");
  if (list) {
    const form = document.querySelector(".controls");
    const filter = document.getElementById("filter");
    const sort = document.getElementById("sort");
    const toggle = document.getElementById("toggle");
    const rows = [...list.children].map(element => ({
      element,
      text: element.querySelector(".name").textContent.toLowerCase(),
      verdict: element.dataset.verdict,
      order: +element.dataset.order,
      change: -Math.abs(+element.dataset.change),
      spread: -element.dataset.spread,
    }));
    const update = () => {
      const wanted = filter.value.toLowerCase();
      const verdicts = new Set([...form.querySelectorAll("input:checked")].map(box => box.value));
      let shown = 0;
      for (const row of rows) {
        row.element.hidden = !(verdicts.has(row.verdict) && row.text.includes(wanted));
        shown += !row.element.hidden;
      }
      document.getElementById("nothing").hidden = shown > 0;
    };
    const arrange = () => {
      const key = sort.value;
      const before = (a, b) =>
        key === "name" ? a.text.localeCompare(b.text, undefined, {numeric: true}) : a[key] - b[key];
      rows.sort((a, b) => before(a, b) || a.order - b.order);
      list.append(...rows.map(row => row.element));
    };
    form.hidden = false;
    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("input", update);
    sort.addEventListener("change", arrange);
    toggle.addEventListener("click", () => {
      const open = toggle.textContent === "Open all";
      for (const row of rows) if (!row.element.hidden) row.element.open = open;
      toggle.textContent = open ? "Close all" : "Open all";
    });
  }
  const tip = document.getElementById("tip");
  document.addEventListener("pointerover", event => {
    const mark = event.target.closest && event.target.closest(".duet,.trial,.median");
    tip.hidden = !mark;
    if (!mark) return;
    const title = mark.querySelector("title");
    if (title) {
      mark.dataset.tip = title.textContent;
      title.remove();
    }
    tip.textContent = mark.dataset.tip;
    const box = mark.getBoundingClientRect();
    const left = box.left + box.width / 2 - tip.offsetWidth / 2;
    tip.style.left = Math.max(4, Math.min(left, innerWidth - tip.offsetWidth - 4)) + "px";
    tip.style.top = Math.max(4, box.top - tip.offsetHeight - 6) + "px";
  });
})();
