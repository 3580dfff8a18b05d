package io.despina.control.process;

import io.despina.buffer.Budget;
import io.despina.control.protocol.Refusal;
import io.despina.expr.Expressions;
import io.despina.expr.KeptAnswers;
import io.despina.placement.Deployment;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A resource's JVM as a child of this one. It gets the secret as the first line of its standard input, and ends when that input
 * ends, so it ends with this JVM, however this JVM dies. Its output and error streams are copied to our error stream.
 */
public final class ChildProcess implements Child {
    private static final int LAST_LINES = 15;
    /** How long processors of a child that is told to end may still be taken. */
    private static final long CLAIM_MILLIS = 4_000;
    private static final long MB = 1 << 20;
    /** Heap besides the budget and its overdraft: classes, compiled expressions, garbage collection. */
    private static final long HEAP_BESIDES = 128 * MB;
    private static final long DIRECT = 256 * MB;
    /**
     * The initial heap. A larger heap would be filled from end to end before its first collection, and resident memory would grow
     * for minutes.
     */
    private static final long FIRST_HEAP = HEAP_BESIDES;
    /** The part of it for new objects. */
    private static final long FIRST_YOUNG = 24 * MB;
    /** The property in which Python names the class-data archive of this JVM, in one or two layers (despina/archive.py). */
    private static final String ARCHIVE = "despina.class_archive";
    /**
     * The property in which Python names the folder for kept answers of the expression compiler, for this Java and class path
     * only.
     */
    public static final String ANSWERS = "despina.kept_answers";
    /** In the environment: further options of each resource's JVM, as DESPINA_JAVA_OPTIONS are of the command's. */
    private static final String OPTIONS = "DESPINA_RESOURCE_JAVA_OPTIONS";

    /** Written once more if it takes the part of another resource; read by the thread that copies its output. */
    private volatile String name;
    private final Process process;
    /** Guarded by itself. */
    private final Deque<String> lastLines = new ArrayDeque<>();
    private final Thread reader;

    /**
     * Starts it.
     *
     * @param arguments of {@link ResourceMain}
     */
    public ChildProcess(Deployment.Resource resource, List<String> arguments, String secret) throws Refusal {
        name = resource.name();
        try {
            Affinity machine = Affinity.ofThisMachine();
            List<String> command = new ArrayList<>(machine.command(resource));
            ProcessorClaims claims = new ProcessorClaims(machine, CLAIM_MILLIS);
            claims.await(resource);
            command.addAll(command(resource.memoryBytes(), resource.cores(), arguments));
            command.addAll(claims.arguments(resource));
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
            confirm(claims, resource);
        } catch (IOException e) {
            throw new Refusal("resource_start", "resource `" + name + "` cannot be started: " + e.getMessage(), null);
        }
        reader = new Thread(() -> copy(process.getInputStream()), "despina-output-" + name);
        reader.setDaemon(true);
        reader.start();
        try {
            process.getOutputStream().write((secret + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException alreadyGone) {
            // onExit reports it, with the reason in its last lines
            return;
        }
    }

    private void confirm(ProcessorClaims claims, Deployment.Resource resource) throws Refusal {
        try {
            claims.confirm(resource, process.pid());
        } catch (Refusal taken) {
            process.destroyForcibly();
            throw taken;
        }
    }

    private static long heap(long memoryBytes, int cores) {
        int threads = cores > 0 ? cores : Runtime.getRuntime().availableProcessors();
        return memoryBytes + Budget.beyond(memoryBytes, threads) + HEAP_BESIDES;
    }

    private static long direct(long memoryBytes) {
        return Math.max(DIRECT, memoryBytes / 4);
    }

    /** What a child may take of memory: its heap, and what it has outside of it. The JVM itself takes some more. */
    public static long mostBytes(Deployment.Resource resource) {
        return heap(resource.memoryBytes(), resource.cores()) + direct(resource.memoryBytes());
    }

    private static List<String> command(long memoryBytes, int cores, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ModuleFlags.of(Runtime.version().feature()));
        command.addAll(sharedClasses());
        if (System.getProperty(ANSWERS) != null) {
            command.add("-D" + ANSWERS + "=" + System.getProperty(ANSWERS));
        }
        command.addAll(List.of("-XX:+UseParallelGC", "-XX:+ExitOnOutOfMemoryError", "-Xshare:auto",
                "-Xms" + FIRST_HEAP / MB + "m", "-XX:NewSize=" + FIRST_YOUNG / MB + "m",
                "-Xmx" + heap(memoryBytes, cores) / MB + "m", "-XX:MaxDirectMemorySize=" + direct(memoryBytes) / MB + "m"));
        if (cores > 0) {
            command.add("-XX:ActiveProcessorCount=" + cores);
        }
        String more = System.getenv().getOrDefault(OPTIONS, "").strip();
        if (!more.isEmpty()) {
            command.addAll(List.of(more.split("\\s+")));
        }
        if (Boolean.getBoolean("despina.checks")) {
            command.add("-Ddespina.checks=true");
        }
        command.addAll(List.of("-cp", classPath(), ResourceMain.class.getName()));
        command.addAll(arguments);
        return command;
    }

    /** This JVM's, and our jar, which Spark loads besides. */
    private static String classPath() {
        String path = System.getProperty("java.class.path");
        String ours = ChildProcess.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        return Arrays.asList(path.split(File.pathSeparator)).contains(ours) ? path : path + File.pathSeparator + ours;
    }

    /** The class-data archive of this JVM, which has the same Java and class path, if it still exists. */
    private static List<String> sharedClasses() {
        String archive = System.getProperty(ARCHIVE, "");
        boolean there = !archive.isEmpty()
                && Arrays.stream(archive.split(File.pathSeparator)).allMatch(layer -> Files.isReadable(Path.of(layer)));
        return there ? List.of("-XX:SharedArchiveFile=" + archive) : List.of();
    }

    /** Keeps answers from now on, if Python has named a folder for them. */
    public static void keepAnswers() {
        String folder = System.getProperty(ANSWERS, "");
        if (!folder.isEmpty()) {
            Expressions.keep(new KeptAnswers(Path.of(folder)));
        }
    }

    private void copy(InputStream stream) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.err.println("[" + name + "] " + line);
                synchronized (lastLines) {
                    lastLines.add(line);
                    if (lastLines.size() > LAST_LINES) {
                        lastLines.remove();
                    }
                }
            }
        } catch (IOException closed) {
            return;
        }
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public void plays(String resource) {
        name = resource;
    }

    @Override
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public CompletableFuture<String> onExit() {
        return process.onExit().thenApply(ended -> {
            try {
                reader.join(TimeUnit.SECONDS.toMillis(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return "process " + pid() + " ended with " + exit(ended.exitValue()) + words();
        });
    }

    private static String exit(int code) {
        return code > 128 ? "signal " + (code - 128) : "exit code " + code;
    }

    private String words() {
        synchronized (lastLines) {
            return lastLines.isEmpty() ? "" : "; its last output:\n  " + String.join("\n  ", lastLines);
        }
    }

    @Override
    public void end(long millis) {
        try {
            process.getOutputStream().close();
        } catch (IOException alreadyGone) {
            // it has ended, or its pipe has
        }
        try {
            if (!process.waitFor(millis, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
