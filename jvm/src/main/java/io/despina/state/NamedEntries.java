package io.despina.state;

import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A few texts by name that the operator itself keeps, such as the position in each file, or the epochs of a sink. On restore at
 * the same parallelism an instance gets its own texts; at another parallelism each gets those of all instances, and chooses.
 */
public final class NamedEntries implements State {
    /** The most texts that a manifest repeats. Those whose names have several words, such as that of a file, come last. */
    private static final int SHOWN = 32;

    private final String name;
    private final Supplier<Map<String, String>> now;
    private final List<Map<String, String>> restored = new ArrayList<>();
    private Map<String, String> frozen = Map.of();
    private boolean missing;

    /** @param now the current texts; neither names nor texts may exceed 65,535 bytes */
    public NamedEntries(String name, Supplier<Map<String, String>> now) {
        this.name = name;
        this.now = now;
    }

    /** Snapshots that an operator wrote which did without it are gone on from. */
    public NamedEntries orMissing() {
        missing = true;
        return this;
    }

    @Override
    public boolean mayBeMissing() {
        return missing;
    }

    /** The restored texts, by the instance that wrote them. At the same parallelism those of all other instances are empty. */
    public List<Map<String, String>> restored() {
        return Collections.unmodifiableList(restored);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public RestoreRule rule() {
        return RestoreRule.UNION;
    }

    @Override
    public String schema() {
        return "named texts";
    }

    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public Frozen freeze() {
        frozen = now.get();
        Iterator<Map.Entry<String, String>> rest = frozen.entrySet().iterator();
        return to -> {
            while (rest.hasNext()) {
                if (!to.hasRoom()) {
                    return false;
                }
                Map.Entry<String, String> next = rest.next();
                DataOutput entry = to.beginEntry(SectionWriter.NO_BUCKET);
                entry.writeUTF(next.getKey());
                entry.writeUTF(next.getValue());
                to.endEntry();
            }
            return true;
        };
    }

    @Override
    public Map<String, String> texts() {
        if (frozen.size() <= SHOWN) {
            return frozen;
        }
        Map<String, String> shown = new LinkedHashMap<>();
        frozen.entrySet().stream().sorted(Comparator.comparing(each -> each.getKey().indexOf(' ') >= 0)).limit(SHOWN)
                .forEach(each -> shown.put(each.getKey(), each.getValue()));
        shown.put("…", frozen.size() + " texts");
        return shown;
    }

    @Override
    public void clear() {
        restored.clear();
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        while (restored.size() < entry.writers()) {
            restored.add(new LinkedHashMap<>());
        }
        String text = entry.data().readUTF();
        if (restored.get(entry.writer()).put(text, entry.data().readUTF()) != null) {
            throw new SnapshotException("state `" + name + "`: `" + text + "` comes twice");
        }
    }
}
