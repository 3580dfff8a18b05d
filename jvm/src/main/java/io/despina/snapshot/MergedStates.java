package io.despina.snapshot;

import io.despina.state.SectionMerge;
import io.despina.state.Sections;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The states of an epoch, in one file of sections that need no others: the form of a savepoint, whatever chains the epoch had.
 *
 * @param files     that file; none if there are no states
 * @param operators those of the epoch, whose instances name that file alone
 */
record MergedStates(List<Manifest.DataFile> files, Map<String, Manifest.Operator> operators) {

    MergedStates {
        files = List.copyOf(files);
        operators = new TreeMap<>(operators);
    }

    /** @throws io.despina.state.SnapshotException if a file of the epoch is damaged; nothing is left of what was written */
    static MergedStates write(RestoredStates from, SnapshotStore to, String path) throws IOException {
        Map<String, Manifest.Operator> operators = new TreeMap<>();
        try (SectionFile file = new SectionFile(to.create(path))) {
            for (Map.Entry<String, Manifest.Operator> each : from.manifest().operators().entrySet()) {
                operators.put(each.getKey(), write(from, each.getKey(), each.getValue(), file));
            }
            return file.isEmpty() ? new MergedStates(List.of(), operators)
                    : new MergedStates(List.of(file.finish(path)), operators);
        }
    }

    private static Manifest.Operator write(RestoredStates from, String id, Manifest.Operator was, SectionFile file)
            throws IOException {
        List<Sections> sections = from.of(id);
        List<Manifest.Instance> instances = new ArrayList<>();
        for (int k = 0; k < sections.size(); k++) {
            long begun = file.bytes();
            for (String state : from.states(id, k)) {
                SectionFile.Key key = new SectionFile.Key(id, k, state);
                SectionMerge.write(state, sections.get(k), (bytes, size) -> file.write(key, bytes, size));
            }
            List<Manifest.Piece> chain = file.bytes() == begun ? List.of()
                    : List.of(new Manifest.Piece(0, file.bytes() - begun));
            Manifest.Instance of = was.instances().get(k);
            instances.add(new Manifest.Instance(chain, of.ended(), of.watermark(), of.counters(), of.texts(), of.log()));
        }
        return new Manifest.Operator(was.type(), was.states(), instances, was.buckets());
    }
}
