/**
 * The person's work, kept in the browser's own storage on their own machine, so that a crash or a reload loses nothing.
 * Where the browser refuses to store anything, work is simply not kept.
 */

export interface Kept {
  /** The plan's link or, where none can carry it, the plan as a file. */
  text: string;
  /** The fingerprint of the file that it is about, where that does not travel inside. */
  mark: string | undefined;
  /** When it was kept, in milliseconds since 1970. */
  at: number;
}

const NAME = "afresh";
const STORE = "work";

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no storage"));
    request.onblocked = () => reject(new Error("the storage is in use"));
  });
}

async function within<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const open = await database();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = open.transaction(STORE, mode);
      const request = act(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error("not stored"));
    });
  } finally {
    open.close();
  }
}

const fileKey = (lab: string) => `${lab}/file`;

export async function keepWork(lab: string, work: Kept): Promise<boolean> {
  return within("readwrite", (store) => store.put(work, lab)).then(
    () => true,
    () => false,
  );
}

/** The file that the kept work is about, where its link does not carry it; none forgets the one before. */
export async function keepFile(lab: string, file: Blob | undefined): Promise<void> {
  await within<unknown>("readwrite", (store) =>
    file === undefined
      ? (store.delete(fileKey(lab)) as IDBRequest<unknown>)
      : (store.put(file, fileKey(lab)) as IDBRequest<unknown>),
  ).catch(() => undefined);
}

export async function keptWork(lab: string): Promise<Kept | undefined> {
  return within("readonly", (store) => store.get(lab) as IDBRequest<Kept | undefined>).catch(() => undefined);
}

export async function keptFile(lab: string): Promise<Blob | undefined> {
  return within("readonly", (store) => store.get(fileKey(lab)) as IDBRequest<Blob | undefined>).catch(() => undefined);
}

/** Forgets the work of every lab, and whatever else this page has stored. */
export async function forgetAll(): Promise<void> {
  await within("readwrite", (store) => store.clear()).catch(() => undefined);
  try {
    localStorage.clear();
  } catch {
    // What cannot be reached cannot hold anything of ours.
  }
}
