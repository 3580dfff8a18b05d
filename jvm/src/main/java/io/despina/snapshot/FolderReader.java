package io.despina.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.json.RecordJson;
import io.despina.snapshot.EpochFacts.Standing;
import io.despina.state.SnapshotException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads what lies in a state folder, and says what it is. */
final class FolderReader {
    private static final int LONGEST = 256 << 20;
    /** So many files, none of them longer, are verified and parsed once for as long as their bytes stay the same. */
    private static final int REMEMBERED = 32;
    private static final int LONGEST_REMEMBERED = 64 << 10;

    private final SnapshotStore store;
    private final FolderPaths paths;
    /** By path. Most of what lies in a folder never changes, and is read again whenever somebody looks for what may go. */
    private final Map<String, Read> read = Collections.synchronizedMap(new LinkedHashMap<>(REMEMBERED, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Read> eldest) {
            return size() > REMEMBERED;
        }
    });

    /** What a file's bytes say. */
    private record Read(byte[] text, Object value) {
    }

    /** Takes the bytes of a file for what they say. */
    @FunctionalInterface
    private interface Parser<T> {
        T parse(byte[] text) throws IOException;
    }

    /** What identifies a folder: it has another id than one that was removed and made again. */
    record Identity(int format, String id, String graph) {
        static final int FORMAT = 2;
    }

    /**
     * What was seen beside the epochs.
     *
     * @param rotten  epochs of which somebody has said so
     * @param lengths of the files that manifests name, by path
     */
    private record Looked(List<Claim> claims, Set<Long> rotten, Map<String, Long> lengths) {
    }

    /** Who may complete epochs. */
    record Latest(long attempt, int turn) {
    }

    /** Why an epoch cannot be gone on from, found when its states were read. */
    record Rot(String problem) {
    }

    FolderReader(SnapshotStore store, FolderPaths paths) {
        this.store = store;
        this.paths = paths;
    }

    byte[] bytes(String path) throws IOException {
        try (InputStream in = store.open(path, 0)) {
            return in.readNBytes(LONGEST);
        }
    }

    <T> T sealed(String path, Class<T> type) throws IOException {
        return type.cast(parsed(path, text -> {
            JsonNode content = ManifestText.content(path, text);
            try {
                return RecordJson.read(content, type);
            } catch (IllegalArgumentException other) {
                throw new SnapshotException(path + ": " + other.getMessage());
            }
        }));
    }

    private Object parsed(String path, Parser<?> parser) throws IOException {
        byte[] text = bytes(path);
        Read before = read.get(path);
        if (before != null && Arrays.equals(before.text, text)) {
            return before.value;
        }
        Object value = parser.parse(text);
        if (text.length <= LONGEST_REMEMBERED) {
            read.put(path, new Read(text, value));
        }
        return value;
    }

    /** @return null if nobody has claimed the folder */
    private String id() throws IOException {
        try {
            return store.exists(paths.id()) ? sealed(paths.id(), Identity.class).id : null;
        } catch (CutShortException half) {
            return null;      // who made it died meanwhile
        }
    }

    /** Lists each folder once, and looks once at what several epochs name: elsewhere each of these is a question to a server. */
    FolderFacts facts() throws IOException {
        String id = id();
        List<String> attemptNames = names(FolderPaths.ATTEMPTS);
        List<Claim> claims = claims(attemptNames);
        List<String> epochNames = names(FolderPaths.EPOCHS);
        TreeSet<Long> written = new TreeSet<>();
        TreeSet<Long> attempts = new TreeSet<>(numbers(attemptNames, ""));
        for (long attempt : numbers(names(FolderPaths.DATA), "")) {
            attempts.add(attempt);
            written.addAll(numbers(names(FolderPaths.DATA + attempt), ""));
        }
        Set<Long> marked = numbers(epochNames, FolderPaths.COMMITTED);
        Set<Long> kept = new TreeSet<>(numbers(epochNames, FolderPaths.MANIFEST));
        kept.addAll(marked);
        TreeSet<Long> all = new TreeSet<>(written);
        all.addAll(kept);
        Looked looked = new Looked(claims, numbers(epochNames, FolderPaths.ROTTEN), new HashMap<>());
        List<EpochFacts> epochs = new ArrayList<>();
        for (long each : all) {
            epochs.add(kept.contains(each) ? facts(each, marked.contains(each), looked)
                    : new EpochFacts(each, Standing.WRITTEN, null, false, "it has no manifest"));
        }
        return new FolderFacts(id, attempts.isEmpty() ? 0 : (int) (long) attempts.last(), all.isEmpty() ? 0 : all.last(),
                claims, epochs);
    }

    private List<String> names(String in) throws IOException {
        return store.list(paths.folder() + in);
    }

    /** The numbers with which names begin, of those that end so. */
    private static Set<Long> numbers(List<String> names, String end) {
        Set<Long> numbers = new TreeSet<>();
        for (String name : names) {
            numbers.add(FolderPaths.number(name, end));
        }
        numbers.remove(-1L);
        return numbers;
    }

    /** The greatest attempt that anyone has claimed, 0 if there is none, and its greatest turn. One question to a server. */
    Latest latest() throws IOException {
        List<String> names = names(FolderPaths.ATTEMPTS);
        long attempt = numbers(names, FolderPaths.CLAIM).stream().mapToLong(Long::longValue).max().orElse(0);
        return new Latest(attempt, names.stream().mapToInt(name -> FolderPaths.turn(name, attempt)).max().orElse(0));
    }

    /**
     * A claim that is half made has started nothing; its number is used. Of one whose start is damaged the rest counts, and it is
     * taken for one that has not started: where it did, its epochs say.
     */
    private List<Claim> claims(List<String> names) throws IOException {
        List<Claim> claims = new ArrayList<>();
        Set<Long> started = numbers(names, FolderPaths.START);
        for (long each : numbers(names, FolderPaths.CLAIM)) {
            int attempt = (int) each;
            try {
                Claim claim = sealed(paths.claim(attempt), Claim.class);
                claims.add(started.contains(each) ? claim.started(start(attempt)) : claim);
            } catch (LaterFormatException later) {
                throw later;
            } catch (SnapshotException unreadable) {
                continue;
            }
        }
        return claims;
    }

    private Claim.Start start(int attempt) throws IOException {
        try {
            return sealed(paths.start(attempt), Claim.Start.class);
        } catch (LaterFormatException later) {
            throw later;
        } catch (SnapshotException unreadable) {
            return null;
        }
    }

    private EpochFacts facts(long epoch, boolean marked, Looked looked) throws IOException {
        Manifest manifest = null;
        try {
            manifest = (Manifest) parsed(paths.manifest(epoch), text -> ManifestText.parse(paths.manifest(epoch), text));
            refuseRot(manifest, looked);
        } catch (CutShortException half) {
            return new EpochFacts(epoch, Standing.HALF, null, marked, half.getMessage());
        } catch (LaterFormatException later) {
            return new EpochFacts(epoch, Standing.LATER, null, marked, later.getMessage());
        } catch (SnapshotException | FileNotFoundException rotten) {
            return new EpochFacts(epoch, Standing.ROTTEN, manifest, marked, rotten.getMessage());
        }
        for (Claim claim : looked.claims) {
            if (claim.attempt() > manifest.attempt() && claim.start() != null && claim.start().epoch() < epoch) {
                return new EpochFacts(epoch, Standing.FENCED, manifest, marked, "attempt " + manifest.attempt()
                        + " completed it, and attempt " + claim.attempt() + " started from epoch " + claim.start().epoch());
            }
        }
        return new EpochFacts(epoch, marked ? Standing.COMMITTED : Standing.COMMITTING, manifest, marked, null);
    }

    /** Whether what the manifest names is there. {@link RestoredStates} verifies the bytes when they are needed. */
    private void refuseRot(Manifest manifest, Looked looked) throws IOException {
        for (Manifest.DataFile each : manifest.files()) {
            Long length = looked.lengths.get(each.path());
            if (length == null) {
                length = store.length(each.path());
                looked.lengths.put(each.path(), length);
            }
            if (length != each.length()) {
                throw new SnapshotException(each.path() + ": " + length + " bytes, where the manifest has " + each.length());
            }
        }
        if (looked.rotten.contains(manifest.epoch())) {
            throw new SnapshotException(sealed(paths.rotten(manifest.epoch()), Rot.class).problem);
        }
    }
}
