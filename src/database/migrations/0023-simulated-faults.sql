-- The simulated engine's faults have the name that documents and messages use.

alter table simulated.behaviours rename to faults;
alter table simulated.faults rename constraint behaviours_pkey to faults_pkey;
alter table simulated.faults rename constraint behaviours_operation_check to faults_operation_check;
