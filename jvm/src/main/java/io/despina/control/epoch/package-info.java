/**
 * Decisions about epochs: functions of what is known, without input or output. {@link io.despina.control.epoch.EpochDecisions} is
 * for a job that runs.
 */
package io.despina.control.epoch;
