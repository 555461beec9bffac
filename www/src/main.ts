import { mount } from "svelte";
import "./page.css";
import Shell from "./shell/Shell.svelte";

mount(Shell, { target: document.getElementById("app") as HTMLElement });
