package io.despina.control.epoch;

/** What is to be done next about the epochs of an attempt. */
public sealed interface EpochStep {

    /** Send the barrier of an epoch to all members. @param isLast whether it is the last of the job */
    record Begin(long epoch, boolean isLast) implements EpochStep {
    }

    /** Give sources what programs wait to give. */
    record Give() implements EpochStep {
    }

    /** All have written their parts: write the manifest. */
    record Write(long epoch) implements EpochStep {
    }

    /** Tell all members that the epoch will never be complete. */
    record Drop(long epoch, String why) implements EpochStep {
    }

    /** Tell all members that the epoch is complete: sinks commit it. */
    record Complete(long epoch) implements EpochStep {
    }

    /** All have committed an epoch that is not the last: write the mark. */
    record Mark(long epoch) implements EpochStep {
    }

    /** Tell the user, once. */
    record Warn(EpochProgress.Told what, String words) implements EpochStep {
    }

    /** All have committed the last epoch: tasks end. Its mark is written when they have. */
    record Conclude() implements EpochStep {
    }

    /** The job ends without a last epoch, because rows in flight were dropped: the last complete one has them still. */
    record Abandon() implements EpochStep {
    }

    /** The job cannot end: its last epoch was dropped each time. */
    record Fail(String why) implements EpochStep {
    }

    /** Nothing before that time, or before something happens. */
    record Wait(long untilMillis) implements EpochStep {
        static final Wait FOR_AN_EVENT = new Wait(Long.MAX_VALUE);
    }
}
