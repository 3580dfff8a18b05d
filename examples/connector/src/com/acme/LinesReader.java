package com.acme;

import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/** Reads the files of a folder by a thread of its own. A position is the byte at which the next line begins. */
final class LinesReader implements PositionReader, Runnable {
    private static final int AT_ONCE = 1 << 16;
    private static final long LOOK_MS = 50;

    private final Path folder;
    private final boolean ends;
    private final ReaderHost host;
    private final Map<String, Long> positions = new LinkedHashMap<>();
    private final Thread thread = new Thread(this, "lines");
    private volatile boolean stopped;

    LinesReader(Path folder, boolean ends, ReaderHost host) {
        this.folder = folder;
        this.ends = ends;
        this.host = host;
    }

    @Override
    public List<Start> open(Map<String, String> known, boolean resumed) throws IOException {
        List<Start> starts = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".log") && Math.floorMod(name.hashCode(), host.parallelism()) == host.instance()) {
                    String position = known.getOrDefault(name, "0");
                    positions.put(name, Long.parseLong(position));
                    starts.add(new Start(name, position, Files.size(file) > Long.parseLong(position)));
                }
            }
        }
        return starts;
    }

    @Override
    public void start() {
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try {
            List<String> names = List.copyOf(positions.keySet());
            for (boolean found = true; !stopped && !(ends && !found);) {
                found = false;
                for (String name : names) {
                    found |= read(name);
                }
                if (!found && !ends) {
                    Thread.sleep(LOOK_MS);
                }
            }
            for (String name : stopped ? List.<String>of() : names) {
                host.put(new Lines(name, positions.get(name), new byte[0], true));
            }
        } catch (IOException why) {
            host.failed(why);
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives the whole lines that follow, as soon as there is room for them. @return whether there were any */
    private boolean read(String name) throws IOException, InterruptedException {
        Semaphore room = new Semaphore(0);
        while (!host.hasRoom()) {
            host.whenRoom(room::release);
            room.acquire();
        }
        long from = positions.get(name);
        byte[] bytes;
        try (RandomAccessFile file = new RandomAccessFile(folder.resolve(name).toFile(), "r")) {
            bytes = new byte[(int) Math.min(AT_ONCE, Math.max(0, file.length() - from))];
            file.seek(from);
            file.readFully(bytes);
        }
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        if (end == 0 && bytes.length == AT_ONCE) {
            throw new IOException(name + " has a line of more than " + AT_ONCE + " bytes at " + from);
        }
        if (end == 0 || stopped) {
            return false;
        }
        host.put(new Lines(name, from, Arrays.copyOf(bytes, end), false));
        positions.put(name, from + end);
        return true;
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
    }
}
