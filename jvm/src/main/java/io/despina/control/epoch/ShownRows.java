package io.despina.control.epoch;

import io.despina.snapshot.Manifest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What sinks show when an epoch is committed, as its manifest has it. */
final class ShownRows {
    /** Manifests before it do not say what sinks had prepared. */
    static final int FIRST_FORMAT = 2;
    /** The state of a sink that commits, see {@code SinkEpochs}. */
    private static final String EPOCHS = "sink_epochs";
    private static final String PREPARED = "prepared";
    private static final String SHOWS = "shows";
    /** The last that was committed before, and shows any. */
    private static final String SHOWN = "shown";

    private ShownRows() {
    }

    /**
     * The sinks of which somebody sees rows by the commit of the epoch, or of one since epoch {@code before}, and did not by the
     * commit of that.
     */
    static List<String> sinks(Manifest manifest, long before) {
        return manifest.operators().entrySet().stream()
                .filter(each -> each.getValue().instances().stream().anyMatch(instance -> isShown(instance, before)))
                .map(Map.Entry::getKey).sorted().toList();
    }

    private static boolean isShown(Manifest.Instance instance, long before) {
        Map<String, String> epochs = instance.texts().getOrDefault(EPOCHS, Map.of());
        String shown = epochs.getOrDefault(SHOWS, epochs.getOrDefault(PREPARED, "")) + " " + epochs.getOrDefault(SHOWN, "");
        return Arrays.stream(shown.split(" ")).filter(each -> !each.isEmpty()).anyMatch(each -> Long.parseLong(each) > before);
    }
}
