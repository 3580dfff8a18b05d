package io.despina.state;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sections in memory, each in slices. One thread adds them; when all are there, any thread may read. */
public final class SlicedSections implements Sections {
    private final Map<String, List<byte[]>> slices = new HashMap<>();

    /** Adds the next slice of a state's section. */
    public void add(String state, byte[] slice) {
        slices.computeIfAbsent(state, any -> new ArrayList<>()).add(slice);
    }

    @Override
    public InputStream section(String state, int k) throws IOException {
        List<byte[]> all = slices.get(state);
        if (all == null) {
            throw new MissingStateException("state `" + state + "` was not handed over");
        }
        return new SequenceInputStream(Collections.enumeration(all.stream().map(ByteArrayInputStream::new).toList()));
    }
}
