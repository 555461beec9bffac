/** Registers the service worker of the hosted page, and knows when a newer version waits to take over. */
import { embedded } from "../shell/embed";

/** The files for the next visit must not compete with the first plan of this one, which comes after the load event. */
const PAUSE = 2000;

class Update {
  /** Whether a newer version is ready and the person has not put it off. */
  ready = $state(false);
  #registration: ServiceWorkerRegistration | undefined;

  /** The one file has everything inside it, a guest leaves no traces, and `vite dev` has its own ways. */
  watch() {
    if (import.meta.env.MODE !== "production" || embedded || !("serviceWorker" in navigator)) return;
    const register = () => setTimeout(() => void this.#register(), PAUSE);
    if (document.readyState === "complete") register();
    else addEventListener("load", register, { once: true });
  }

  async #register() {
    try {
      const registration = await navigator.serviceWorker.register("./sw.js");
      this.#registration = registration;
      this.#offer(registration.waiting);
      registration.addEventListener("updatefound", () => {
        const coming = registration.installing;
        coming?.addEventListener("statechange", () => this.#offer(registration.waiting));
      });
    } catch {
      // Private windows and some settings refuse service workers: the page then works as long as there is a network.
    }
  }

  #offer(waiting: ServiceWorker | null) {
    // Without a controller it is the first version that waits, not a newer one.
    if (waiting !== null && navigator.serviceWorker.controller !== null) this.ready = true;
  }

  later() {
    this.ready = false;
  }

  reload() {
    const waiting = this.#registration?.waiting;
    // Another tab may have let it take over already.
    if (!waiting) return location.reload();
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    waiting.postMessage("take over");
  }
}

export const update = new Update();
