package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import io.despina.connect.StartPatience;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Reads streams from an id on. The server keeps no place for it. */
final class RedisReader implements PositionReader {
    private static final long CLOSE_MS = TimeUnit.SECONDS.toMillis(3);

    private final ConnectorSettings settings;
    private final ReaderHost host;
    private ReadThread thread;

    RedisReader(ConnectorSettings settings, ReaderHost host) {
        this.settings = settings;
        this.host = host;
    }

    @Override
    public List<Start> open(Map<String, String> known, boolean resumed) throws Exception {
        List<StreamPlace> places = new ArrayList<>();
        settings.texts("streams").forEach(each -> places.add(new StreamPlace(settings, host, each)));
        thread = new ReadThread(settings, host, places);
        Link link = new StartPatience(settings).await(thread::connect);
        Reading reading = new Reading(settings);
        Set<String> others = new TreeSet<>(known.keySet());
        List<Start> starts = new ArrayList<>();
        for (StreamPlace each : places) {
            others.remove(each.stream);
            boolean isWaiting = each.begin(reading.known(link, each.stream), known.get(each.stream), resumed);
            starts.add(new Start(each.stream, each.position(), isWaiting));
        }
        if (!others.isEmpty()) {
            host.warn("`" + host.operator() + "` has read " + String.join(", ", others) + " before, and no longer does");
        }
        return starts;
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public void stop() {
        thread.end(false);
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.close(CLOSE_MS);
        }
    }
}
