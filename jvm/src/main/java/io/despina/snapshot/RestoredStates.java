package io.despina.snapshot;

import io.despina.state.Sections;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** The states that a manifest names. Each file is verified once, when its first section is asked for. Any thread may ask. */
public final class RestoredStates {
    private final SnapshotStore store;
    private final Manifest manifest;
    private final List<DataFile> files = new ArrayList<>();

    public RestoredStates(SnapshotStore store, Manifest manifest) {
        this.store = store;
        this.manifest = manifest;
        manifest.files().forEach(each -> files.add(new DataFile(each)));
    }

    private final class DataFile {
        private final Manifest.DataFile of;
        private SectionFileReader reader;

        DataFile(Manifest.DataFile of) {
            this.of = of;
        }

        synchronized SectionFileReader verified() throws IOException {
            if (reader == null) {
                reader = SectionFileReader.open(store, of);
            }
            return reader;
        }
    }

    public Manifest manifest() {
        return manifest;
    }

    /**
     * What the instances of an operator kept, in order.
     *
     * @return null if the manifest has no such operator: it starts empty
     */
    public List<Sections> of(String operator) {
        Manifest.Operator of = manifest.operators().get(operator);
        if (of == null) {
            return null;
        }
        List<Sections> all = new ArrayList<>();
        for (int k = 0; k < of.instances().size(); k++) {
            all.add(new Chain(operator, k, of.instances().get(k).chain()));
        }
        return all;
    }

    /** The states of which there are sections of an instance, in the order in which they were begun. */
    List<String> states(String operator, int instance) throws IOException {
        List<Manifest.Piece> chain = manifest.operators().get(operator).instances().get(instance).chain();
        return chain.isEmpty() ? List.of()
                : files.get(chain.get(chain.size() - 1).file()).verified().states(operator, instance);
    }

    private final class Chain implements Sections {
        private final String operator;
        private final int instance;
        private final List<Manifest.Piece> pieces;

        Chain(String operator, int instance, List<Manifest.Piece> pieces) {
            this.operator = operator;
            this.instance = instance;
            this.pieces = pieces;
        }

        @Override
        public int pieces() {
            return pieces.size();
        }

        @Override
        public InputStream section(String state, int k) throws IOException {
            if (k < 0) {
                throw new SnapshotException("operator `" + operator + "`, instance " + instance + ", has no file, and state `"
                        + state + "` is to be read");
            }
            return files.get(pieces.get(k).file()).verified().section(new SectionFile.Key(operator, instance, state));
        }
    }
}
