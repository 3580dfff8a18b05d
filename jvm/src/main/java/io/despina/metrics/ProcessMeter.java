package io.despina.metrics;

/** Looks what a process uses. Any thread may ask. */
public interface ProcessMeter {
    /** Of the process that asks. */
    ProcessMeter OWN = new ProcessMeter() {
        @Override
        public ResourceSnapshot counters() {
            return ProcessCounters.snapshot();
        }

        @Override
        public ProcessUse use() {
            return ProcessCounters.use();
        }
    };

    /** All that it has used: looks at every thread. */
    ResourceSnapshot counters();

    /** What is quickly told. */
    ProcessUse use();
}
