package io.despina.control.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Binds the calling thread, a worker of that number, to a processor: by the command that binds a child, since Java has no way to
 * do so. What such a thread starts, a process or another thread, is bound likewise.
 */
record ThreadPinning(String taskset, List<Integer> cpus) implements IntConsumer {
    private static final Path OWN = Path.of("/proc/thread-self");

    @Override
    public void accept(int worker) {
        try {
            String thread = Files.readSymbolicLink(OWN).getFileName().toString();
            Process binding = new ProcessBuilder(command(worker, thread)).redirectErrorStream(true).start();
            String said = new String(binding.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (binding.waitFor() != 0) {
                throw new IOException(said);
            }
        } catch (IOException e) {
            System.err.println("despina: warning: worker " + worker + " stays on no processor: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    List<String> command(int worker, String thread) {
        return List.of(taskset, "--cpu-list", "--pid", Integer.toString(cpus.get(worker % cpus.size())), thread);
    }
}
