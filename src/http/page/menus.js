// Menus: details that close by Escape, by a choice, and by a press elsewhere.

/** Closes open menus except one that contains an element. */
function closeOthers(element) {
  for (const menu of document.querySelectorAll('.menu[open]')) if (!menu.contains(element)) menu.open = false;
}

/** Lets all menus close. */
export function closeMenus() {
  document.addEventListener('click', ({ target }) => closeOthers(target.closest('.menu button') ? null : target));
  document.addEventListener('keydown', ({ key }) => {
    const menu = document.activeElement?.closest('.menu[open]');
    if (key !== 'Escape' || !menu) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
}
