package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.ReaderHost;
import io.despina.connect.ReadingThread;
import io.despina.connect.ServerOutage;
import io.despina.redis.EntryBatch.Entry;
import io.despina.redis.StreamPlace.Known;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Protocol.Keyword;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Takes entries of streams, of one after the other, and gives them to the host. While the host has no room, it asks for none.
 * From {@link #start} on, places and connection are this thread's.
 */
final class ReadThread extends ReadingThread {
    private static final long MOST_BLOCK_MS = 500;

    private final ConnectorSettings settings;
    private final ReaderHost host;
    private final List<StreamPlace> places;
    private final Reading reading;
    private final ServerOutage outage;
    private final byte[] field;
    /** Written by this thread, read by the one that cuts. */
    private volatile Link link;

    ReadThread(ConnectorSettings settings, ReaderHost host, List<StreamPlace> places) {
        super("redis", host, settings);
        this.settings = settings;
        this.host = host;
        this.places = places;
        reading = new Reading(settings);
        outage = new ServerOutage(host.operator(), settings.text("server"), host::warn);
        field = settings.text("field").getBytes(StandardCharsets.UTF_8);
    }

    /** Before {@link #start}, and then of this thread. */
    Link connect() throws IOException {
        Link made = new Link(settings, host.operator() + "." + host.instance());
        link = made;
        if (isClosed()) {
            made.cut();
        }
        made.connect(settings.whole("connect_ms"));
        return made;
    }

    @Override
    protected void begin() {
        for (StreamPlace each : places) {
            if (each.ended) {
                give(each, List.of(), each.at);
            }
        }
    }

    @Override
    protected void step() throws IOException {
        List<StreamPlace> open = places.stream().filter(each -> !each.ended).toList();
        if (isStopped() || open.isEmpty()) {
            rest();
            return;
        }
        boolean isMoved = false;
        for (StreamPlace each : open) {
            if (isStopped() || !host.hasRoom()) {
                awaitRoom();
                return;
            }
            isMoved |= take(each);
        }
        if (!isMoved) {
            await(open);
        }
    }

    @Override
    protected void lost(IOException why) {
        release();
        if (!isClosed()) {
            LockSupport.parkNanos(this, outage.goesOn(why, "; it waits"));
        }
    }

    /** @return whether the place has moved */
    private boolean take(StreamPlace place) throws IOException {
        if (link == null) {
            connect();
        }
        Reading.Found found = reading.behind(link, place);
        outage.ends();
        if (place.passGap(found.known())) {
            give(place, List.of(), place.at);       // what was found is behind the place as it was
            return true;
        }
        if (found.entries().isEmpty()) {
            return pass(place, found.known());
        }
        EntryId before = place.at;
        List<Entry> entries = new ArrayList<>();
        EntryId to = before;
        for (Entry each : found.entries()) {
            if (place.isBehindEnd(each.id())) {
                to = place.end;
                break;
            }
            to = each.id();
            entries.add(each);
        }
        place.read(to, entries.size(), found.known());
        give(place, entries, before);
        return true;
    }

    /** Nothing waits behind the place: what was made since has been removed. */
    private boolean pass(StreamPlace place, Known now) {
        if (!now.last().isBehind(place.at)) {
            place.move(place.at, now.added());
            return false;
        }
        EntryId before = place.at;
        place.move(now.last(), now.added());
        give(place, List.of(), before);
        return true;
    }

    /** The server answers when there is something. */
    private void await(List<StreamPlace> open) throws IOException {
        long millis = Math.min(MOST_BLOCK_MS, Math.max(1, settings.whole("connect_ms") / 2));
        List<byte[]> arguments = new ArrayList<>();
        for (String each : List.of("COUNT", "1", "BLOCK", Long.toString(millis))) {
            arguments.add(each.getBytes(StandardCharsets.US_ASCII));
        }
        arguments.add(Keyword.STREAMS.getRaw());
        open.forEach(each -> arguments.add(each.key));
        open.forEach(each -> arguments.add(each.at.bytes()));
        link.send(Command.XREAD, arguments.toArray(byte[][]::new));
        if (link.read(1).get(0) instanceof JedisDataException why) {
            throw Words.refused(settings, why);
        }
    }

    private void give(StreamPlace place, List<Entry> entries, EntryId before) {
        place.given |= !entries.isEmpty();
        host.put(new EntryBatch(place, field, entries, before));
    }

    @Override
    protected void cut() {
        Link now = link;
        if (now != null) {
            now.cut();
        }
    }

    @Override
    protected void disconnect() {
        if (link != null) {
            link.close();
            link = null;
        }
    }
}
