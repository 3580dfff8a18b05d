package io.despina.snapshot;

import io.despina.state.SnapshotException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/** Copies the files of epochs from one store to another. */
final class EpochCopy {
    private static final int BLOCK = 1 << 16;
    /** {@code 3-1200.seg}: from item 1200 on, by attempt 3. */
    private static final Pattern SEGMENT = Pattern.compile("(\\d{1,9})-(\\d{1,18})\\.seg");
    /** It says which attempt has a log: nothing that another place may keep. */
    private static final String OWNED = ".open";

    private final SnapshotStore from;
    private final SnapshotStore to;

    EpochCopy(SnapshotStore from, SnapshotStore to) {
        this.from = from;
        this.to = to;
    }

    /**
     * A file of states, with other ids of its operators.
     *
     * @param renamed by old id: the new one
     * @param dropped those that nobody goes on from
     * @throws SnapshotException if it is damaged
     */
    Manifest.DataFile states(Manifest.DataFile file, String path, Map<String, String> renamed, Set<String> dropped)
            throws IOException {
        if (renamed.isEmpty()) {
            return verbatim(file, path);
        }
        SectionFileReader reader = SectionFileReader.open(from, file);
        byte[] tail = reader.tail(renamed, dropped);
        return tail == null ? verbatim(file, path) : copy(file.path(), reader.slicesEnd(), tail, path);
    }

    /** @throws SnapshotException if it is not as the manifest has it */
    Manifest.DataFile verbatim(Manifest.DataFile file, String path) throws IOException {
        Manifest.DataFile copied = copy(file.path(), Long.MAX_VALUE, new byte[0], path);
        if (copied.length() != file.length() || !copied.crc32c().equals(file.crc32c())) {
            throw new SnapshotException(file.path() + " is damaged: it has " + copied.length() + " bytes with the CRC32C "
                    + copied.crc32c() + ", and the manifest " + file.length() + " with " + file.crc32c());
        }
        return copied;
    }

    private Manifest.DataFile copy(String path, long most, byte[] tail, String as) throws IOException {
        CRC32C crc = new CRC32C();
        long length = 0;
        SnapshotStore.NewFile copy = to.create(as);
        boolean whole = false;
        try (InputStream in = from.open(path, 0)) {
            byte[] block = new byte[BLOCK];
            for (int read = in.read(block); read >= 0 && length < most; read = in.read(block)) {
                int wanted = (int) Math.min(read, most - length);
                crc.update(block, 0, wanted);
                copy.write(block, 0, wanted);
                length += wanted;
            }
            crc.update(tail);
            copy.write(tail, 0, tail.length);
            copy.close();
            whole = true;
        } finally {
            if (!whole) {
                copy.abort();
            }
        }
        return new Manifest.DataFile(as, length + tail.length, Integer.toHexString((int) crc.getValue()));
    }

    /**
     * All that is in a folder of logs, although somebody may write there and remove what is not needed any more. What is copied
     * is whole up to some record: of the segments the newest goes first, for a record says how far those before were durable.
     *
     * @param folder in the one store
     * @param as     in the other
     */
    List<Manifest.DataFile> logs(String folder, String as) throws IOException {
        List<String> paths = new ArrayList<>();
        for (SnapshotStore.Stored each : from.files(folder)) {
            if (!each.path().endsWith(OWNED)) {
                paths.add(each.path());
            }
        }
        paths.sort(Comparator.comparingLong((String path) -> number(path, 1)).thenComparingLong(path -> number(path, 2))
                .reversed());
        List<Manifest.DataFile> copied = new ArrayList<>();
        for (String each : paths) {
            try {
                copied.add(copy(each, Long.MAX_VALUE, new byte[0], as + each.substring(folder.length())));
            } catch (FileNotFoundException cut) {
                continue;
            }
        }
        return copied;
    }

    private static long number(String path, int group) {
        Matcher segment = SEGMENT.matcher(path.substring(path.lastIndexOf('/') + 1));
        return segment.matches() ? Long.parseLong(segment.group(group)) : -1;
    }
}
