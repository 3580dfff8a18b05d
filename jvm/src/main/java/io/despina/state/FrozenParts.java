package io.despina.state;

import java.io.IOException;
import java.util.List;

/** A state of several parts at one instant: they are written to its section one after the other. */
final class FrozenParts implements Frozen {
    private final List<Frozen> parts;
    private int next;

    /** @param parts of one form, whose entries have different groups */
    FrozenParts(List<Frozen> parts) {
        this.parts = parts;
    }

    @Override
    public SectionForm form() {
        return parts.get(0).form();
    }

    @Override
    public boolean write(SectionWriter to) throws IOException {
        while (next < parts.size() && parts.get(next).write(to)) {
            next++;
        }
        return next == parts.size();
    }

    @Override
    public void close() {
        parts.forEach(Frozen::close);
    }
}
