// Keys: arrows go through the grid or from photo to photo, "/" to the search, Escape back.
const cells = [...document.querySelectorAll(".photos a")];
const isWhole = document.querySelector(".whole") !== null;

function neighbor(cell, rows) {
  const box = cell.getBoundingClientRect();
  const ahead = cells.filter((other) => (other.getBoundingClientRect().top - box.top) * rows > 1);
  const distance = (other) => {
    const at = other.getBoundingClientRect();
    return Math.abs(at.top - box.top) * 1000 + Math.abs(at.left - box.left);
  };
  return ahead.sort((one, other) => distance(one) - distance(other))[0];
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const search = document.querySelector("input[type=search]");
  if (event.target === search) {
    if (event.key === "Escape") search.blur();
    return;
  }
  const go = (selector) => document.querySelector(selector)?.click();
  const index = cells.indexOf(document.activeElement);
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const rows = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (event.key === "/") search.focus();
  else if (event.key === "Escape") go("nav .back");
  else if (sideways && isWhole && index < 0) go(sideways < 0 ? "nav [rel=prev]" : "nav [rel=next]");
  else if (sideways && cells.length) cells[index < 0 ? 0 : index + sideways]?.focus();
  else if (rows && index >= 0) neighbor(cells[index], rows)?.focus();
  else return;
  event.preventDefault();
});

if (location.hash) document.getElementById(location.hash.slice(1))?.focus();
