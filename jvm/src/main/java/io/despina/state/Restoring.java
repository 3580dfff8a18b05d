package io.despina.state;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;

/** A {@link Share} that an operator's states take, some entries at a time. */
public final class Restoring implements Closeable {
    private final Share share;
    private final List<? extends State> states;
    private final List<? extends Sections> from;
    /** Whether it takes its own sections, and no other. */
    private final boolean own;
    private int state;
    /** Whose section comes next. */
    private int writer;
    /** Of the section that is being read; or null. */
    private SectionReader reader;

    /** As {@link Share#begin}. */
    Restoring(Share share, List<? extends State> states, List<? extends Sections> from) {
        this.share = share;
        this.states = states;
        this.from = from;
        own = share.isOwn(from.size());
    }

    /**
     * Takes some entries.
     *
     * @return whether all are taken
     * @throws SnapshotException if a section does not fit the states
     */
    public boolean some(int most) throws IOException {
        try {
            for (int k = 0; k < most; k++) {
                if (reader == null && !open()) {
                    return true;
                }
                if (reader.next()) {
                    take(states.get(state));
                } else {
                    close();
                }
            }
            return false;
        } catch (EOFException cut) {
            throw new SnapshotException("state `" + states.get(state).name() + "`: an entry is cut short", cut);
        }
    }

    /** Begins with the next section. @return false if there is none */
    private boolean open() throws IOException {
        for (; state < states.size(); state++) {
            State of = states.get(state);
            if (writer == 0) {
                of.clear();
            }
            while (writer < from.size()) {
                if (open(of, writer++)) {
                    return true;
                }
            }
            of.restoredAll();
            writer = 0;
        }
        return false;
    }

    private boolean open(State of, int by) throws IOException {
        Sections written = from.get(by);
        if (written == null || by != share.instance() && (own || !share.reads(of, from.size()))) {
            return false;
        }
        reader = new SectionReader(of.name(), by, from.size(), written);
        try {
            reader.begin(of);
            return true;
        } catch (MissingStateException none) {
            close();
            if (!of.mayBeMissing()) {
                throw none;
            }
            return false;
        }
    }

    private void take(State of) throws IOException {
        if (share.takes(of, reader, own)) {
            of.restore(reader);
        } else {
            reader.skip();
        }
    }

    /** Reads no further. */
    @Override
    public void close() throws IOException {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
