document.getElementById("explorer").textContent = "The page is being built.";
