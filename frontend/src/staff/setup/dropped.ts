/** The files of a drop, with those in dropped folders. */

export async function videosOf(data: DataTransfer, isVideo: (file: File) => boolean): Promise<File[]> {
  // The entries must be taken before the first wait: the browser forgets the drop after it.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found = entries.length ? (await Promise.all(entries.map(filesOf))).flat() : [...data.files];
  return found.filter((file) => file.size > 0 && isVideo(file));
}

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile)
    return [await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside: File[] = [];
  // A reader answers with at most a hundred entries at a time, and with none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return inside;
    for (const one of some) inside.push(...(await filesOf(one)));
  }
}
