/** Runs any task on a thread: workers, their timers and threads, and the tier for tasks that block. */
package io.despina.runtime.worker;
