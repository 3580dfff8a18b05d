/** The tasks of a process, by job: deployed, started, stopped, ended; and where their channels come from. */
package io.despina.runtime.host;
