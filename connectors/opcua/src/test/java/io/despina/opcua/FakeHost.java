package io.despina.opcua;

import io.despina.connect.Delivery;
import io.despina.connect.DeliveryHost;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what a reader gives and says. */
final class FakeHost implements DeliveryHost {
    final List<byte[]> given = new CopyOnWriteArrayList<>();
    /** When the last value of each node was measured, by its name, as the source remembers it. */
    final Map<String, String> last = new ConcurrentHashMap<>();
    final List<String> warnings = new CopyOnWriteArrayList<>();
    volatile Exception failure;
    volatile boolean room = true;
    volatile boolean over;
    private volatile Runnable resume;

    void room(boolean now) {
        room = now;
        Runnable waiting = resume;
        if (now && waiting != null) {
            resume = null;
            waiting.run();
        }
    }

    @Override
    public String name() {
        return "name";
    }

    @Override
    public boolean isKept() {
        return false;
    }

    @Override
    public void ended() {
        over = true;
    }

    @Override
    public void put(Delivery delivery) {
        given.add(delivery.bytes());
        if (delivery.key() != null) {
            last.put(delivery.key(), delivery.digest());
        }
    }

    @Override
    public String operator() {
        return "in";
    }

    @Override
    public int instance() {
        return 0;
    }

    @Override
    public int parallelism() {
        return 1;
    }

    @Override
    public boolean hasRoom() {
        return room;
    }

    @Override
    public void whenRoom(Runnable run) {
        resume = run;
    }

    @Override
    public void failed(Exception why) {
        failure = why;
    }

    @Override
    public void warn(String what) {
        warnings.add(what);
    }
}
