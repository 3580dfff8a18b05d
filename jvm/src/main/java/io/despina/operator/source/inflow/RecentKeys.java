package io.despina.operator.source.inflow;

import io.despina.state.Frozen;
import io.despina.state.RestoreRule;
import io.despina.state.SectionForm;
import io.despina.state.SectionReader;
import io.despina.state.SectionWriter;
import io.despina.state.State;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The keys of what was taken last, each with a text, so that what comes again can be told. A snapshot has those of its epoch;
 * those of what came later come with it from the log. What a snapshot writes are those that have come since the one before it.
 */
public final class RecentKeys implements State {
    /** As many as most sources keep. */
    public static final int USUAL = 4096;
    private static final long BYTES = 320;

    /**
     * A key.
     *
     * @param number in snapshots; one that is forgotten leaves its own to the next
     * @param order  grows from one that is taken to the next
     */
    private record Kept(String key, int number, long order, String text) {
    }

    /** Oldest first. */
    private final Map<String, Kept> all = new LinkedHashMap<>();
    /** Since the last snapshot; null before the first. */
    private Set<String> changed;
    private final List<Kept> restored = new ArrayList<>();
    private final int most;
    private long taken;

    /** @param most that are kept */
    public RecentKeys(int most) {
        this.most = most;
    }

    /** Most that so many take. */
    public static long bytes(int most) {
        return most * BYTES;
    }

    /** It has been taken; what had the key before is forgotten. */
    public void put(String key, String text) {
        Kept before = all.remove(key);
        int number = before == null ? all.size() : before.number;
        if (number == most) {
            Kept oldest = all.remove(all.keySet().iterator().next());
            number = oldest.number;
            forget(oldest.key);
        }
        all.put(key, new Kept(key, number, taken++, text));
        if (changed != null) {
            changed.add(key);
        }
    }

    private void forget(String key) {
        if (changed != null) {
            changed.remove(key);
        }
    }

    /** All, in the order in which they were taken. */
    public Map<String, String> all() {
        Map<String, String> texts = new LinkedHashMap<>();
        all.values().forEach(each -> texts.put(each.key, each.text));
        return texts;
    }

    /** Null if nothing of late had that key. */
    public String get(String key) {
        Kept found = all.get(key);
        return found == null ? null : found.text;
    }

    @Override
    public String name() {
        return "keys";
    }

    @Override
    public RestoreRule rule() {
        return RestoreRule.UNION;
    }

    @Override
    public String schema() {
        return "named texts";
    }

    /** They are counted as a whole, by {@link #bytes(int)}. */
    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public Map<String, String> texts() {
        return Map.of("…", all.size() + " texts");
    }

    @Override
    public Frozen freeze() {
        changed = new LinkedHashSet<>();
        return frozen(new ArrayList<>(all.values()), SectionForm.WHOLE);
    }

    @Override
    public Frozen freezeChanges() {
        if (changed == null) {
            return freeze();
        }
        List<Kept> now = changed.stream().map(all::get).toList();
        changed.clear();
        return frozen(now, SectionForm.CHANGES);
    }

    private static Frozen frozen(Collection<Kept> kept, SectionForm form) {
        Iterator<Kept> rest = kept.iterator();
        return new Frozen() {
            @Override
            public SectionForm form() {
                return form;
            }

            @Override
            public boolean write(SectionWriter to) throws IOException {
                while (rest.hasNext()) {
                    if (!to.hasRoom()) {
                        return false;
                    }
                    Kept next = rest.next();
                    DataOutput entry = to.beginEntry(SectionWriter.NO_BUCKET, next.number);
                    entry.writeUTF(next.key);
                    entry.writeUTF(next.text);
                    entry.writeLong(next.order);
                    to.endEntry();
                }
                return true;
            }
        };
    }

    @Override
    public void clear() {
        all.clear();
        restored.clear();
        changed = null;
    }

    /** Older snapshots have no order beside a key, and their entries are in it. */
    @Override
    public void restore(SectionReader entry) throws IOException {
        DataInputStream data = entry.data();
        String key = data.readUTF();
        String text = data.readUTF();
        restored.add(new Kept(key, 0, data.available() > 0 ? data.readLong() : restored.size(), text));
    }

    @Override
    public void restoredAll() {
        restored.sort(Comparator.comparingLong(Kept::order));
        restored.forEach(each -> put(each.key, each.text));
        restored.clear();
    }
}
