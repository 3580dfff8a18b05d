package io.despina.delta;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeReader;
import io.despina.connect.LakeTable;
import io.despina.connect.Leftovers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads and writes Delta tables. */
public final class DeltaConnector implements Connector {
    private static final Consumer<String> SILENT = words -> { };

    @Override
    public LakeTable table(ConnectorSettings settings, Consumer<String> warn) {
        return new DeltaTable(settings, warn);
    }

    @Override
    public LakeReader lake(ConnectorSettings settings) {
        return new DeltaReader(settings);
    }

    @Override
    public String columns(ConnectorSettings settings) throws IOException {
        return new DeltaReader(settings).columns();
    }

    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        if (use == Use.READ) {
            return new DeltaReader(settings).words();
        }
        DeltaTable table = new DeltaTable(settings, SILENT);
        table.open();
        return table.words();
    }

    /** Delta's log forgets marks by itself, and has no other way. */
    @Override
    public String leftovers(ConnectorSettings settings, Leftovers of) throws Exception {
        DeltaTable table = new DeltaTable(settings, SILENT);
        List<String> found = new ArrayList<>();
        for (String each : of.names()) {
            table.epoch(each).ifPresent(epoch -> found.add(each + " (epoch " + epoch + ")"));
        }
        String path = settings.text("path");
        String markers = " the marker" + (found.size() == 1 ? " of " : "s of ");
        return found.isEmpty() ? "no marker in " + path : "in the log of " + path + markers + String.join(", ", found)
                + ", which stays until the log forgets it";
    }
}
