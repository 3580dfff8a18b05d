package io.despina.operator.source.inflow;

import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The keys of what was taken last, each with a text, so that what comes again can be told. A snapshot has those of its epoch;
 * those of what came later come with it from the log.
 */
public final class RecentKeys {
    /** As many as most sources keep. */
    public static final int USUAL = 4096;
    private static final long BYTES = 256;

    /** Oldest first. */
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final int most;
    private final NamedEntries state = new NamedEntries("keys", this::all);

    /** @param most that are kept */
    public RecentKeys(int most) {
        this.most = most;
    }

    public State state() {
        return state;
    }

    public void restored() {
        state.restored().forEach(each -> each.forEach(this::put));
    }

    /** Most that so many take. */
    public static long bytes(int most) {
        return most * BYTES;
    }

    /** It has been taken; what had the key before is forgotten. */
    public void put(String key, String text) {
        texts.remove(key);
        texts.put(key, text);
        if (texts.size() > most) {
            texts.remove(texts.keySet().iterator().next());
        }
    }

    /** All, in the order in which they were taken. */
    public Map<String, String> all() {
        return new LinkedHashMap<>(texts);
    }

    /** Null if nothing of late had that key. */
    public String get(String key) {
        return texts.get(key);
    }
}
